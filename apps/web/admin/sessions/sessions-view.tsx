import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal, For, Show } from 'solid-js';
import { useApp } from '../../app-context.ts';
import { Pages } from '../../parts/pages.tsx';
import { QueryState } from '../../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { UserName } from '../../parts/user-name.tsx';
import { useWorkspace } from '../../shell/workspace.ts';
import { ContinueButton, createLiveTimes, EndSession, OpenHere, RecordedBadge } from './rows.tsx';
import { LIVE_PAGE, LIVE_SESSIONS_KEY, type LiveSession, liveSessionsQuery } from './sessions.ts';
import './sessions.css';

/** Everybody's terminals, for administrators: to look on, and to end. */
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
        {t('live_sessions')}
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
  const times = createLiveTimes();
  return (
    <div class="table-place">
      <table class="table live" aria-labelledby="live-title">
        <thead>
          <tr>
            <th scope="col">{t('server')}</th>
            <th scope="col">{t('user')}</th>
            <th scope="col">{t('since')}</th>
            <th scope="col">{t('live_last_activity')}</th>
            <th scope="col">{t('live_people')}</th>
            <th scope="col">
              <span class="visually-hidden">{t('action')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <For each={props.sessions}>
            {(session) => <LiveRow session={session} times={times} onEnd={() => props.onEnd(session)} />}
          </For>
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly session: LiveSession;
  readonly times: ReturnType<typeof createLiveTimes>;
  readonly onEnd: () => void;
}

function LiveRow(props: RowProps) {
  const { t } = useApp();
  const why = useReadOnlyReason();
  const session = () => props.session;
  const { since, ago, moment } = props.times;
  return (
    <tr>
      <th scope="row">
        {session().server_name}{' '}
        <Show when={session().server_id === null}>
          <span class="badge">{t('quick_connect')}</span>
        </Show>{' '}
        <RecordedBadge session={session()} /> <OpenHere session={session()} />
      </th>
      <td>
        <UserName name={session().username} />
      </td>
      <td class="table-soft" data-label={t('since')} title={moment(session().started_at)}>
        {since(session().started_at)}
      </td>
      <td class="table-soft" data-label={t('live_last_activity')} title={moment(session().last_activity)}>
        {ago(session().last_activity)}
      </td>
      <td class="table-soft" data-label={t('live_people')}>
        {session().participants === 0 ? t('live_nobody') : session().participants}
      </td>
      <td>
        <div class="live-actions">
          <Show when={session().own} fallback={<WatchButton session={session()} />}>
            <ContinueButton session={session()} />
          </Show>
          <ReasonButton
            label={t('live_end_of', { name: session().server_name, username: session().username })}
            why={why()}
            onPress={() => props.onEnd()}
          >
            {t('live_end')}
          </ReasonButton>
        </div>
      </td>
    </tr>
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
