import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../../app-context.ts';
import { Pages } from '../../parts/pages.tsx';
import { QueryState } from '../../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { UserName } from '../../parts/user-name.tsx';
import { useWorkspace } from '../../shell/workspace.ts';
import { ContinueButton, createLiveTimes, EndSession, OpenHere, RecordedBadge } from './rows.tsx';
import { LIVE_PAGE, LIVE_SESSIONS_KEY, type LiveSession, liveSessionsQuery } from './sessions.ts';
import './sessions.css';

/** All users' live sessions, which administrators can watch and end. */
export function LiveSessions() {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const [page, setPage] = createSignal(0);
  const sessions = useQuery(() => liveSessionsQuery(client, page()));
  const [ending, setEnding] = createSignal<LiveSession>();
  const refresh = () => queries.invalidateQueries({ queryKey: LIVE_SESSIONS_KEY });
  return (
    <section class="section section-wide" aria-labelledby="live-title">
      <h3 class="section-title" id="live-title">
        {t('live_terminals')}
      </h3>
      <ReadOnlyNote />
      <p class="section-lead">{t('live_sessions_lead')}</p>
      <QueryState query={sessions} failure={t('live_failed')}>
        {(known) => (
          <Show
            when={known().sessions.length > 0 || page() > 0}
            fallback={<p class="empty">{t('live_none')}</p>}
          >
            <LiveTable sessions={known().sessions} onEnd={setEnding} />
            <Pages
              each={LIVE_PAGE}
              page={page()}
              shown={known().sessions.length}
              total={known().total}
              onGo={setPage}
            />
          </Show>
        )}
      </QueryState>
      <Show when={ending()}>
        {(session) => (
          <EndSession session={session()} onEnded={refresh} onClose={() => setEnding(undefined)} />
        )}
      </Show>
    </section>
  );
}

interface TableProps {
  readonly sessions: readonly LiveSession[];
  readonly onEnd: (session: LiveSession) => void;
}

function LiveTable(props: TableProps) {
  const { t } = useApp();
  const { since, ago, moment } = createLiveTimes();
  const columns: Column<LiveSession>[] = [
    { title: 'server', is_row_name: true, cell: (session) => <SessionName session={session} /> },
    { title: 'user', cell: (session) => <UserName name={session.username} /> },
    {
      title: 'since',
      is_labelled: true,
      class: 'table-soft',
      tooltip: ({ started_at }) => moment(started_at),
      cell: (session) => since(session.started_at),
    },
    {
      title: 'live_last_activity',
      is_labelled: true,
      class: 'table-soft',
      tooltip: ({ last_activity }) => moment(last_activity),
      cell: (session) => ago(session.last_activity),
    },
    {
      title: 'live_people',
      is_labelled: true,
      class: 'table-soft',
      cell: (session) => (session.participants === 0 ? t('live_nobody') : session.participants),
    },
    {
      title: 'action',
      is_title_hidden: true,
      cell: (session) => <SessionActions session={session} onEnd={() => props.onEnd(session)} />,
    },
  ];
  return <Table class="live" labelled_by="live-title" columns={columns} rows={props.sessions} />;
}

function SessionName(props: { session: LiveSession }) {
  const { t } = useApp();
  return (
    <>
      {props.session.server_name}{' '}
      <Show when={props.session.server_id === null}>
        <span class="badge">{t('quick_connect')}</span>
      </Show>{' '}
      <RecordedBadge session={props.session} /> <OpenHere session={props.session} />
    </>
  );
}

function SessionActions(props: { session: LiveSession; onEnd: () => void }) {
  const { t } = useApp();
  const why = useReadOnlyReason();
  const about = () => ({ name: props.session.server_name, username: props.session.username });
  return (
    <div class="live-actions">
      <Show when={props.session.own} fallback={<WatchButton session={props.session} />}>
        <ContinueButton session={props.session} />
      </Show>
      <ReasonButton label={t('live_end_of', about())} why={why()} onPress={() => props.onEnd()}>
        {t('live_end')}
      </ReasonButton>
    </div>
  );
}

function WatchButton(props: { session: LiveSession }) {
  const { t } = useApp();
  const { tabs } = useWorkspace();
  function watch(): void {
    const { id: session_id, server_name } = props.session;
    tabs.open({ kind: 'terminal', server_id: 0, server_name, aim: { kind: 'watch', session_id } });
  }
  const { server_name: name, username } = props.session;
  return (
    <button
      type="button"
      class="button"
      aria-label={t('live_watch_of', { name, username })}
      title={t('live_watch_text')}
      onClick={watch}
    >
      {t('live_watch')}
    </button>
  );
}
