import { A } from '@solidjs/router';
import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal, Show } from 'solid-js';
import { take } from '#client/client.ts';
import { useApp } from '../../app/context.ts';
import { auditPath } from '../../lib/audit-path.ts';
import { nameOf } from '../../lib/paths.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Name } from '../../parts/name.tsx';
import { QueryState } from '../../parts/query-state.tsx';
import type { TabPlace } from '../../workspace/tabs/tabs.ts';
import type { Closable } from '../../workspace/windows.ts';
import { OldCopies } from './copies.tsx';
import './old-copies.css';

/** The way to who changed a file, and the copies of its old content that are on the host. */
export function FileChangesDialog(props: { file: TabPlace } & Closable) {
  const { client, session, t } = useApp();
  const is_admin = () => session.user()?.is_admin === true;
  const queries = useQueryClient();
  const [is_restored, setRestored] = createSignal(false);
  const query_key = ['old_copies', props.file.server_id, props.file.path];
  const found = useQuery(() => ({
    queryKey: query_key,
    queryFn: ({ signal }) =>
      take(
        client.http.GET('/api/files/{server_id}/old-copies', {
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
    <Dialog title={t('file_changes_title', { name: nameOf(props.file.path) })} wide onClose={props.onClose}>
      <p class="file-copies-place">
        <Name text={`${props.file.server_name}: ${props.file.path}`} />
      </p>
      <QueryState query={found} failure={t('file_changes_failed')}>
        {(data) => (
          <>
            <OldCopies file={props.file} copies={data().copies} onRestored={takeUp} onClose={props.onClose} />
            <p role="status" class="visually-hidden">
              {is_restored() ? t('file_changes_restored') : ''}
            </p>
            <Show when={data().copies.length === 0}>
              <p>{t('file_changes_no_copies')}</p>
            </Show>
          </>
        )}
      </QueryState>
      <p>{t(is_admin() ? 'file_changes_in_log' : 'file_changes_ask')}</p>
      <div class="actions">
        <Show when={is_admin() ? found.data : undefined}>
          {(data) => (
            <A
              class="button"
              href={auditPath({ server: props.file.server_name, words: data().real_path })}
              onClick={props.onClose}
            >
              {t('file_changes_show_log')}
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
