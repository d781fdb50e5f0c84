import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal, For, Show } from 'solid-js';
import {
  ContinueButton,
  createLiveTimes,
  EndSession,
  OpenHere,
  RecordedBadge,
} from '../admin/sessions/rows.tsx';
import { allLiveSessionsQuery, LIVE_SESSIONS_KEY, type LiveSession } from '../admin/sessions/sessions.ts';
import { useApp } from '../app-context.ts';
import { QueryState } from '../parts/query-state.tsx';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import { ReasonButton } from '../parts/reason-button.tsx';
import '../admin/sessions/sessions.css';

/** The user's own live terminals, on this device and on others. */
export function LiveTerminals() {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const sessions = useQuery(() => allLiveSessionsQuery(client));
  const [ending, setEnding] = createSignal<LiveSession>();
  const refresh = () => queries.invalidateQueries({ queryKey: LIVE_SESSIONS_KEY });
  return (
    <section class="section" aria-labelledby="live-title">
      <h3 class="section-title" id="live-title">
        {t('live_terminals')}
      </h3>
      <p class="section-lead">{t('live_terminals_lead')}</p>
      <QueryState query={sessions} failure={t('live_failed')}>
        {(known) => <OwnRows sessions={known().sessions.filter(({ own }) => own)} onEnd={setEnding} />}
      </QueryState>
      <Show when={ending()}>
        {(session) => (
          <EndSession session={session()} onEnded={refresh} onClose={() => setEnding(undefined)} />
        )}
      </Show>
    </section>
  );
}

interface RowsProps {
  readonly sessions: readonly LiveSession[];
  readonly onEnd: (session: LiveSession) => void;
}

function OwnRows(props: RowsProps) {
  const { t } = useApp();
  const why = useReadOnlyReason();
  const { since, ago, moment } = createLiveTimes();
  return (
    <Show when={props.sessions.length > 0} fallback={<p class="empty">{t('live_none_own')}</p>}>
      <ul class="rows" aria-label={t('live_terminals')}>
        <For each={props.sessions}>
          {(session) => (
            <li class="row">
              <div class="row-text">
                <p class="row-name">
                  {session.server_name}
                  <OpenHere session={session} />
                  <RecordedBadge session={session} />
                  <Show when={session.participants === 0}>
                    <span class="badge badge-busy">{t('live_away')}</span>
                  </Show>
                </p>
                <p class="row-facts" title={moment(session.started_at)}>
                  {t('live_since', { time: since(session.started_at) })} ·{' '}
                  {t('live_last', { time: ago(session.last_activity) })}
                  <Show when={session.participants > 1}>
                    {' · '}
                    {t('live_attached', { count: session.participants })}
                  </Show>
                </p>
              </div>
              <div class="row-actions">
                <ContinueButton session={session} />
                <ReasonButton
                  label={t('live_end_named', { name: session.server_name })}
                  why={why()}
                  onPress={() => props.onEnd(session)}
                >
                  {t('live_end')}
                </ReasonButton>
              </div>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}
