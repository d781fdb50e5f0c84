import { A } from '@solidjs/router';
import { useQueryClient } from '@tanstack/solid-query';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { formatInstant } from '../lib/format.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { Pages } from '../parts/pages.tsx';
import { QueryBar } from '../parts/query-bar/query-bar.tsx';
import { isEmpty } from '../parts/query-bar/read.ts';
import { QueryState } from '../parts/query-state.tsx';
import { SectionTitle } from '../workspace/screens/section-title.tsx';
import { createRecordingList } from './list.ts';
import { deleteRecording, RECORDINGS_KEY, RECORDINGS_PAGE, type Recording } from './recordings.ts';
import { SearchStatus } from './search/status.tsx';
import { RecordingTable } from './table.tsx';
import './recordings.css';

interface Props {
  /** All users' recordings for administrators, otherwise only the user's own. */
  readonly everybody: boolean;
}

/** Lists recordings to play, read, download or delete. What it is asked for is part of the page's address. */
export function Recordings(props: Props) {
  const { session, t } = useApp();
  const [deleting, setDeleting] = createSignal<Recording>();
  const list = createRecordingList(() => props.everybody);
  const { state, query, search } = list;
  const empty = () => {
    if (!isEmpty(state.query())) return t('recordings_no_match');
    return t(session.user()?.is_admin ? 'recordings_empty_admin' : 'recordings_empty');
  };
  return (
    <section class="section section-wide section-list" aria-labelledby="recordings-title">
      <div class="section-head">
        <SectionTitle id="recordings-title" text={t('recordings')} />
        <Show when={!props.everybody && session.user()?.is_admin}>
          <A class="button" href="/admin/recordings">
            {t('recordings_everybody')}
          </A>
        </Show>
      </div>
      <QueryBar
        id={props.everybody ? 'recordings' : 'own_recordings'}
        label={t('recordings_bar')}
        placeholder={t('recordings_bar_hint')}
        keys={list.keys()}
        state={state}
      />
      <SearchStatus search={search} is_waiting={list.is_waiting()} onMore={list.goOn} />
      <QueryState query={query} failure={t('recordings_failed')}>
        {(known) => (
          <Show
            when={list.rows().length > 0 || known().page > 0}
            fallback={
              <Show when={!search.busy()}>
                <p class="empty">{empty()}</p>
              </Show>
            }
          >
            <RecordingTable
              listed={list.rows()}
              text={list.text()}
              is_part={known().total > known().recordings.length}
              everybody={props.everybody}
              onDelete={setDeleting}
            />
            <Pages
              each={RECORDINGS_PAGE}
              page={known().page}
              shown={known().recordings.length}
              total={known().total}
              onGo={list.goTo}
            />
          </Show>
        )}
      </QueryState>
      <Show when={deleting()}>
        {(recording) => <DeleteRecording recording={recording()} onClose={() => setDeleting(undefined)} />}
      </Show>
    </section>
  );
}

function DeleteRecording(props: { recording: Recording; onClose: () => void }) {
  const { client, preferences, t } = useApp();
  const queries = useQueryClient();
  async function remove(): Promise<void> {
    await deleteRecording(client, props.recording);
    await queries.invalidateQueries({ queryKey: RECORDINGS_KEY });
  }
  const { server_name: name, username, started_at } = props.recording;
  const time = formatInstant(started_at, preferences.values.language);
  return (
    <Confirm
      title={t('recordings_delete_of', { name, time })}
      text={t('recordings_delete_text', { username })}
      action={t('delete')}
      failure={t('recordings_not_deleted')}
      danger
      onConfirm={remove}
      onClose={props.onClose}
    />
  );
}
