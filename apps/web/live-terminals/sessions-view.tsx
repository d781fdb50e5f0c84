import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { Pages } from '../parts/pages.tsx';
import { QueryState } from '../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../parts/read-only.tsx';
import { ReasonButton } from '../parts/reason-button.tsx';
import type { Column } from '../parts/table/column.ts';
import { DrawerActions } from '../parts/table/drawer.tsx';
import { DataTable } from '../parts/table/table.tsx';
import { SectionTitle } from '../workspace/screens/section-title.tsx';
import { useWorkspace } from '../workspace/workspace.ts';
import { createLiveBulk, createLiveColumns, LiveDetails, liveFilter } from './columns.tsx';
import { ContinueButton, EndSession } from './rows.tsx';
import { LIVE_PAGE, LIVE_SESSIONS_KEY, type LiveSession, liveSessionsQuery } from './sessions.ts';

/** All users' live sessions, which administrators can watch and end. */
export function LiveSessions() {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const [page, setPage] = createSignal(0);
  const sessions = useQuery(() => liveSessionsQuery(client, page()));
  const [ending, setEnding] = createSignal<LiveSession>();
  const refresh = () => queries.invalidateQueries({ queryKey: LIVE_SESSIONS_KEY });
  return (
    <section class="section section-wide section-list" aria-labelledby="live-title">
      <SectionTitle id="live-title" text={t('live_terminals')} />
      <ReadOnlyNote />
      <QueryState query={sessions} failure={t('live_failed')}>
        {(known) => (
          <Show
            when={known().sessions.length > 0 || page() > 0}
            fallback={<p class="empty">{t('live_none')}</p>}
          >
            <LiveTable
              sessions={known().sessions}
              is_part={known().total > known().sessions.length}
              onEnd={setEnding}
            />
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
  readonly is_part: boolean;
  readonly onEnd: (session: LiveSession) => void;
}

function LiveTable(props: TableProps) {
  const { t } = useApp();
  const bulk = createLiveBulk();
  const actions = (session: LiveSession) => (
    <SessionActions session={session} onEnd={() => props.onEnd(session)} />
  );
  const columns = [
    ...createLiveColumns(true),
    { id: 'action', title: 'action', is_title_hidden: true, width: 196, narrow_width: 124, cell: actions },
  ] satisfies Column<LiveSession>[];
  return (
    <DataTable
      id="live_sessions"
      labelled_by="live-title"
      columns={columns}
      rows={props.sessions}
      idOf={({ id }) => id}
      nameOf={({ server_name, username }) => `${server_name} (${username})`}
      {...(props.is_part ? {} : { filter: liveFilter(t, true) })}
      bulk={bulk}
      is_part={props.is_part}
      details={(session) => (
        <>
          <DrawerActions>{actions(session)}</DrawerActions>
          <LiveDetails session={session} />
        </>
      )}
      empty={t('live_none')}
    />
  );
}

function SessionActions(props: { session: LiveSession; onEnd: () => void }) {
  const { t } = useApp();
  const why = useReadOnlyReason();
  const about = () => ({ name: props.session.server_name, username: props.session.username });
  return (
    <>
      <Show when={props.session.own} fallback={<WatchButton session={props.session} />}>
        <ContinueButton session={props.session} />
      </Show>
      <ReasonButton label={t('live_end_of', about())} folds why={why()} onPress={() => props.onEnd()}>
        {t('live_end')}
      </ReasonButton>
    </>
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
