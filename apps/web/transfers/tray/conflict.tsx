import { useQuery } from '@tanstack/solid-query';
import { createSignal, Show } from 'solid-js';
import { take } from '#client/client.ts';
import { useApp } from '../../app/context.ts';
import { formatInstant, formatSize } from '../../lib/format.ts';
import { nameOf, parentOf } from '../../lib/paths.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { CheckField } from '../../parts/fields/check.tsx';
import { usePaneHost } from '../../workspace/panes/host.ts';
import type { ConflictAnswer, Question } from '../conflicts.ts';

export interface ConflictProps {
  readonly question: Question;
  /** Number of conflicts that wait for an answer. */
  readonly count: number;
}

/** Asks what to do with a file whose name is taken. */
export function TransferConflict(props: ConflictProps) {
  const { t } = useApp();
  const { servers } = usePaneHost();
  const [for_all, setForAll] = createSignal(false);
  const conflict = () => props.question.conflict;
  const name = () => nameOf(conflict().path);
  const place = () => {
    const server = servers()?.find(({ id }) => id === conflict().server_id);
    return `${server?.name ?? ''}:${parentOf(conflict().path)}`;
  };
  const answer = (wanted: ConflictAnswer) => props.question.answer(wanted, for_all());
  return (
    <Dialog
      title={
        conflict().cancel ? t('transfer_conflict_all_title') : t('transfer_conflict_title', { name: name() })
      }
      description={
        conflict().cancel
          ? t('transfer_conflict_all_text', { name: name(), place: place() })
          : t('transfer_conflict_text', { place: place() })
      }
      sticky
      onClose={() => (conflict().cancel ?? (() => answer('skip')))()}
    >
      <Compared question={props.question} />
      <Show when={!conflict().cancel}>
        <CheckField label={t('transfer_conflict_all')} checked={for_all()} onChange={setForAll} />
      </Show>
      <Show when={props.count > 1}>
        <p class="dialog-lead">{t('transfer_conflict_more', { count: props.count - 1 })}</p>
      </Show>
      <div class="actions">
        <Show when={conflict().cancel}>
          {(cancel) => (
            <button type="button" class="button" onClick={() => cancel()()}>
              {t('cancel')}
            </button>
          )}
        </Show>
        <button type="button" class="button" onClick={() => answer('skip')}>
          {t('transfer_skip')}
        </button>
        <button type="button" class="button" onClick={() => answer('keep_both')}>
          {t('transfer_keep_both')}
        </button>
        <button type="button" class="button button-danger" onClick={() => answer('replace')}>
          {t('transfer_replace')}
        </button>
      </div>
    </Dialog>
  );
}

/** Compares the existing and the new file by size and time. */
function Compared(props: { question: Question }) {
  const { client, preferences, t } = useApp();
  const conflict = () => props.question.conflict;
  const there = useQuery(() => ({
    queryKey: ['stat', conflict().server_id, conflict().path],
    queryFn: () => {
      const { server_id, path } = conflict();
      return take(
        client.http.GET('/api/files/{server_id}/stat', { params: { path: { server_id }, query: { path } } }),
      );
    },
    retry: false,
    staleTime: 0,
  }));
  const text = (size: number, modified: string) =>
    `${formatSize(size, preferences.values.language)} · ${formatInstant(modified, preferences.values.language)}`;
  return (
    <dl class="facts">
      <Show when={there.data}>
        {(entry) => (
          <>
            <dt>{t('transfer_there')}</dt>
            <dd>{entry().is_dir ? t('transfer_into_directory') : text(entry().size, entry().modified)}</dd>
          </>
        )}
      </Show>
      <Show when={conflict().file}>
        {(file) => (
          <>
            <dt>{t('transfer_yours')}</dt>
            <dd>{text(file().size, new Date(file().modified_ms).toISOString())}</dd>
          </>
        )}
      </Show>
    </dl>
  );
}
