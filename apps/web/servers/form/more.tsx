import { createMemo, createSignal, createUniqueId, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { MoreButton } from '../../parts/fields/more-button.tsx';
import { hasMore, MORE_FIELDS } from './draft.ts';
import type { ServerEditor } from './editor.ts';
import { AccessFields, PlaceFields } from './fields.tsx';
import { OptionFields } from './options.tsx';

/** The fields that most servers leave at their defaults. Opens by itself when one is set or refused. */
export function MoreFields(props: { editor: ServerEditor; is_whole: boolean }) {
  const { t } = useApp();
  const id = createUniqueId();
  const [is_wanted, setWanted] = createSignal(props.is_whole || hasMore(props.editor.draft));
  const is_refused = createMemo(() => MORE_FIELDS.some((field) => props.editor.errorAt(field) !== undefined));
  const is_open = () => is_wanted() || is_refused();
  return (
    <>
      <MoreButton
        is_open={is_open()}
        controls={id}
        hint={t('form_more_hint')}
        onPress={() => setWanted(!is_open())}
      />
      <Show when={is_open()}>
        <div class="form-more-fields" id={id}>
          <PlaceFields editor={props.editor} />
          <AccessFields editor={props.editor} />
          <OptionFields editor={props.editor} />
        </div>
      </Show>
    </>
  );
}
