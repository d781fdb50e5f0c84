import { type BeforeLeaveEventArgs, useBeforeLeave } from '@solidjs/router';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { askBeforeUnload } from '../../lib/before-unload.ts';
import { Confirm } from './confirm.tsx';

/** On a page with a form: asks before navigation or closing the page discards changes. */
export function UnsavedQuestion(props: { dirty: boolean }) {
  const { place, t } = useApp();
  const [leaving, setLeaving] = createSignal<BeforeLeaveEventArgs>();
  askBeforeUnload(place, () => props.dirty);
  useBeforeLeave((event) => {
    if (!props.dirty || event.defaultPrevented || staysOnPage(event)) return;
    event.preventDefault();
    setLeaving(event);
  });
  return (
    <Show when={leaving()} keyed>
      {(event) => (
        <Confirm
          title={t('discard_title')}
          text={t('discard_text')}
          action={t('discard')}
          danger
          onConfirm={() => event.retry(true)}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </Show>
  );
}

/** Whether only the part of the address after the path changes, such as a search. */
function staysOnPage({ from, to }: BeforeLeaveEventArgs): boolean {
  return typeof to === 'string' && to.split('?')[0] === from.pathname;
}
