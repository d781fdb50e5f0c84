import { createMemo, Show } from 'solid-js';
import { ClientError } from '#client/transport/client-error.ts';
import { useApp } from '../../app/context.ts';
import { CheckField } from '../../parts/fields/check.tsx';
import { TextList } from '../../parts/text-list.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { namesIn, type Preview, placeOf } from './import.ts';

interface Props {
  readonly preview: Preview;
  /** Names of servers that exist already. */
  readonly known: ReadonlySet<string>;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (names: readonly string[], is_chosen: boolean) => void;
}

/** Lists what was found in the text for the user to choose from, or says why it cannot be imported. */
export function ImportPreview(props: Props) {
  const { t } = useApp();
  const found = createMemo(() => namesIn(props.preview));
  const bad = () => (props.preview.kind === 'bad' ? props.preview : undefined);
  const title = () =>
    t(props.preview.kind === 'servers' ? 'import_found_servers' : 'import_found_hosts', {
      count: found().length,
    });
  const has_all = () => found().every((name) => props.chosen.has(name));
  return (
    <div role="status">
      <Show when={bad()}>{(found_bad) => <p class="bad">{t(found_bad().why, found_bad().values)}</p>}</Show>
      <Show when={found().length > 0}>
        <CheckField
          label={t('import_choose_all', { count: props.chosen.size })}
          checked={has_all()}
          onChange={(is_chosen) => props.onChoose(found(), is_chosen)}
        />
      </Show>
      <TextList title={title()} items={found()}>
        {(name) => (
          <span class="text-list-item">
            <CheckField
              label={name}
              checked={props.chosen.has(name)}
              onChange={(is_chosen) => props.onChoose([name], is_chosen)}
            />
            <Show when={props.known.has(name)}>
              <span class="badge badge-busy">{t('name_exists')}</span>
            </Show>
          </span>
        )}
      </TextList>
    </div>
  );
}

/** Lists the servers that the gateway rejected and why. */
export function ImportTrouble(props: { error: unknown; preview: Preview }) {
  const { t } = useApp();
  const names = () => ('names' in props.preview ? props.preview.names : []);
  const errors = () => (props.error instanceof ClientError ? props.error.errors : []);
  return (
    <Trouble title={t('import_failed')} error={props.error} compact>
      <Show when={errors().length > 0}>
        <TextList title={t('import_complaints')} items={errors()}>
          {(error) => `${placeOf(error, names())}: ${t.complaint(error.message)}`}
        </TextList>
      </Show>
    </Trouble>
  );
}
