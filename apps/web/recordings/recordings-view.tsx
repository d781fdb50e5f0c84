import { useSearchParams } from '@solidjs/router';
import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createMemo, createSignal, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { formatInstant } from '../lib/format.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { Pages } from '../parts/pages.tsx';
import { QueryState } from '../parts/query-state.tsx';
import { SectionTitle } from '../workspace/screens/section-title.tsx';
import { RecordingFilters } from './filters.tsx';
import {
  conditionsOf,
  deleteRecording,
  filterOf,
  isFiltered,
  queryOf,
  RECORDINGS_KEY,
  RECORDINGS_PAGE,
  type Recording,
  type RecordingFilter,
  recordingsQuery,
} from './recordings.ts';
import { RecordingTextSearch } from './search/search-view.tsx';
import { RecordingTable } from './table.tsx';
import './recordings.css';

interface Props {
  /** All users' recordings for administrators, otherwise only the user's own. */
  readonly everybody: boolean;
}

/** Lists recordings to play, read, download or delete. The filter is part of the page's address. */
export function Recordings(props: Props) {
  const { client, session, t } = useApp();
  const [query, setQuery] = useSearchParams();
  const filter = createMemo(() => filterOf(query));
  const [deleting, setDeleting] = createSignal<Recording>();
  const own = () => session.user()?.username ?? '';
  const asked = () => (props.everybody ? filter() : { ...filter(), username: own() });
  const conditions = () => Object.fromEntries(conditionsOf(asked()));
  const recordings = useQuery(() => recordingsQuery(client, asked()));
  const change = (part: Partial<RecordingFilter>) =>
    setQuery(queryOf({ ...filter(), page: 0, ...part }), { replace: part.page === undefined });
  const empty = () => {
    if (props.everybody && isFiltered(filter())) return t('recordings_no_match');
    return t(session.user()?.is_admin ? 'recordings_empty_admin' : 'recordings_empty');
  };
  return (
    <section class="section section-wide" aria-labelledby="recordings-title">
      <SectionTitle id="recordings-title" text={t('recordings')} />
      <p class="section-lead">{t(props.everybody ? 'recordings_lead_admin' : 'recordings_lead')}</p>
      <Show when={props.everybody}>
        <RecordingFilters filter={filter()} onChange={change} />
      </Show>
      <RecordingTextSearch among={conditions()} />
      <QueryState query={recordings} failure={t('recordings_failed')}>
        {(known) => (
          <Show
            when={known().recordings.length > 0 || known().page > 0}
            fallback={<p class="empty">{empty()}</p>}
          >
            <RecordingTable
              recordings={known().recordings}
              is_part={known().total > known().recordings.length}
              everybody={props.everybody}
              onDelete={setDeleting}
            />
            <Pages
              each={RECORDINGS_PAGE}
              page={known().page}
              shown={known().recordings.length}
              total={known().total}
              onGo={(page) => change({ page })}
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
