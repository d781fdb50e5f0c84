import { A } from '@solidjs/router';
import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal, For, Show } from 'solid-js';
import { type Schemas, take } from '#client/client.ts';
import { useApp } from '../../app/context.ts';
import { auditPath } from '../../lib/audit-path.ts';
import { formatSize } from '../../lib/format.ts';
import { nameOf } from '../../lib/paths.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Name } from '../../parts/name.tsx';
import { QueryState } from '../../parts/query-state.tsx';
import { Time } from '../../parts/time.tsx';
import type { TabPlace } from '../../workspace/tabs/tabs.ts';
import type { Closable } from '../../workspace/windows.ts';
import { OldCopies } from './old-copies.tsx';
import './history.css';

type FileHistory = Schemas['FileHistory'];
type HistoryEntry = Schemas['FileHistoryEntry'];

/** Who changed a file through the gateway, and the copies of its old content that are on the host. */
export function FileHistoryDialog(props: { file: TabPlace } & Closable) {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const [is_restored, setRestored] = createSignal(false);
  const query_key = ['file_history', props.file.server_id, props.file.path];
  const history = useQuery(() => ({
    queryKey: query_key,
    queryFn: ({ signal }) =>
      take(
        client.http.GET('/api/files/{server_id}/history', {
          params: { path: { server_id: props.file.server_id }, query: { path: props.file.path } },
          signal,
        }),
      ),
    retry: false,
    gcTime: 0,
  }));
  async function takeUp(): Promise<void> {
    setRestored(true);
    await queries.invalidateQueries({ queryKey: ['listing', props.file.server_id] });
    await queries.invalidateQueries({ queryKey: query_key });
  }
  return (
    <Dialog title={t('file_history_title', { name: nameOf(props.file.path) })} wide onClose={props.onClose}>
      <p class="file-history-place">
        <Name text={`${props.file.server_name}: ${props.file.path}`} />
      </p>
      <QueryState query={history} failure={t('file_history_failed')}>
        {(found) => (
          <>
            <OldCopies
              file={props.file}
              copies={found().copies}
              onRestored={takeUp}
              onClose={props.onClose}
            />
            <p role="status" class="visually-hidden">
              {is_restored() ? t('file_history_restored') : ''}
            </p>
            <Changes history={found()} />
          </>
        )}
      </QueryState>
      <div class="actions">
        <Show when={history.data?.scope === 'everybody' && history.data}>
          {(found) => (
            <A
              class="button"
              href={auditPath({ server: props.file.server_name, words: found().audit_path })}
              onClick={props.onClose}
            >
              {t('file_history_in_log')}
            </A>
          )}
        </Show>
        <button type="button" class="button" onClick={props.onClose}>
          {t('close')}
        </button>
      </div>
    </Dialog>
  );
}

function Changes(props: { history: FileHistory }) {
  const { t } = useApp();
  const is_own = () => props.history.scope === 'own';
  return (
    <>
      <p class="section-lead">{t(is_own() ? 'file_history_own' : 'file_history_everybody')}</p>
      <Show
        when={props.history.entries.length > 0}
        fallback={<p>{t(is_own() ? 'file_history_none_own' : 'file_history_none')}</p>}
      >
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard */}
        <ol class="file-history" aria-label={t('file_history_list')} tabIndex={0}>
          <For each={props.history.entries}>{(entry) => <Change entry={entry} />}</For>
        </ol>
      </Show>
    </>
  );
}

/** Saves and uploads say nothing beyond the path, which the dialog has. */
function Change(props: { entry: HistoryEntry }) {
  const { preferences, t } = useApp();
  const what = () => t.optional(`action_${props.entry.action}`) ?? props.entry.action;
  const size = () =>
    props.entry.size === null ? '' : formatSize(props.entry.size, preferences.values.language);
  /** Without the server, which the dialog names. */
  const detail = () =>
    props.entry.phrase && t.phrase(props.entry.phrase, props.entry.detail).replace(/^.*? \(#\d+\): /, '');
  return (
    <li class="file-change">
      <span class="file-change-what">
        {what()}
        <Show when={size()}>
          <span class="file-change-soft">{size()}</span>
        </Show>
      </span>
      <span class="file-change-soft file-change-who">
        <Name text={props.entry.username} />
        <Time at={props.entry.created_at} />
      </span>
      <Show when={detail()}>
        {(text) => (
          <span class="file-change-soft file-change-detail">
            <Name text={text()} />
          </span>
        )}
      </Show>
    </li>
  );
}
