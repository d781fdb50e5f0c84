import { For, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { formatInstant } from '../lib/format.ts';
import type { WebSession } from './account.ts';
import { agentOf } from './user-agent.ts';

interface Props {
  readonly label: string;
  readonly sessions: readonly WebSession[];
}

export function useSessionName(): (session: Pick<WebSession, 'user_agent'>) => string {
  const { t } = useApp();
  return ({ user_agent }) => {
    const agent = agentOf(user_agent);
    if (!agent) return t('agent_unknown');
    const { browser, system } = agent;
    return system === undefined ? browser : t('agent_on', { browser, system });
  };
}

/** Says that a session is embedded in another site, and what it reaches. */
export function EmbedBadge(props: { session: WebSession }) {
  const { t } = useApp();
  return (
    <Show when={props.session.embed}>
      {(embed) => (
        <>
          <span class="badge">{t('session_embedded')}</span>{' '}
          <span class="session-embed">
            {t(`session_embed_${embed().kind}`, { name: embed().server_name || t('session_embed_gone') })}
          </span>
        </>
      )}
    </Show>
  );
}

/** Sign-in sessions, named after the browser and system they came from. */
export function SessionRows(props: Props) {
  const { preferences, t } = useApp();
  const moment = (instant: string) => formatInstant(instant, preferences.values.language);
  const nameOf = useSessionName();
  return (
    <ul class="rows" aria-label={props.label}>
      <For each={props.sessions}>
        {(session) => (
          <li class="row">
            <div class="row-text">
              <p class="row-name">
                <span title={session.user_agent}>{nameOf(session)}</span>
                <Show when={session.current}>
                  <span class="badge badge-good">{t('this_session')}</span>
                </Show>
                <EmbedBadge session={session} />
              </p>
              <p class="row-facts">
                {session.ip_address} · {t('first_seen', { time: moment(session.created_at) })} ·{' '}
                {t('last_seen', { time: moment(session.last_seen_at) })}
              </p>
            </div>
          </li>
        )}
      </For>
    </ul>
  );
}
