import { Show } from 'solid-js';
import { ClientError } from '#client/transport/client-error.ts';
import { useApp } from '../../app/context.ts';
import type { BatchOutcome } from '../changes/batch.ts';

/** Offers to replace existing items. */
export function ReplaceButton(props: { outcome: BatchOutcome | undefined; onReplace: () => void }) {
  const { t } = useApp();
  const is_taken = () =>
    props.outcome?.failures.some(
      ({ error }) => error instanceof ClientError && error.code === 'already_exists',
    );
  return (
    <Show when={is_taken()}>
      <button type="button" class="button button-danger" onClick={() => props.onReplace()}>
        {t('files_replace')}
      </button>
    </Show>
  );
}
