import { useQuery } from '@tanstack/solid-query';
import { For, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { useApp } from '../app/context.ts';
import { healthQuery } from '../lib/gateway-info.ts';
import { useStatusWatch } from '../servers/status/status.ts';
import { useFeatures } from '../workspace/features.ts';
import { type PaneStatus, useWorkspace } from '../workspace/workspace.ts';

/** An id that the gateway made up itself, which says nothing to a person. */
const MADE_UP = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** The user, the instance if it has a name, and the active pane's status; a lost gateway takes precedence. */
export function StatusLine() {
  const { client, session, t } = useApp();
  const { tabs, statuses } = useWorkspace();
  const features = useFeatures();
  const health = useQuery(() => healthQuery(client));
  const { is_lost } = useStatusWatch();
  const instance = () => {
    const id = health.data?.instance_id;
    return id === undefined || MADE_UP.test(id) ? undefined : id;
  };
  const status = (): PaneStatus | undefined => {
    if (is_lost()) return { text: 'gateway_lost', tone: 'bad', note: t('gateway_lost_next') };
    const active = tabs.active();
    return active && statuses[active.id];
  };
  return (
    <section class="status-line" aria-label={t('status')}>
      <span class="status-user" title={session.user()?.username}>
        {session.user()?.username}
        <Show when={session.user()?.is_admin}> ({t('administrator')})</Show>
      </span>
      <Show when={instance()}>
        {(id) => (
          <span class="status-instance" title={id()}>
            {t('instance', { id: id() })}
          </span>
        )}
      </Show>
      <span class="status-gap" />
      <For each={features}>
        {({ Status }) => <Show when={Status}>{(part) => <Dynamic component={part()} />}</Show>}
      </For>
      <span class="status-state" role="status">
        <Show when={status()}>
          {(present) => (
            <>
              <span class={`dot tone-${present().tone}`} aria-hidden="true" /> {t(present().text)}
              <Show when={present().note}>
                {(note) => (
                  <span class="status-note" title={note()}>
                    {note()}
                  </span>
                )}
              </Show>
            </>
          )}
        </Show>
      </span>
      <Show when={status()?.round_trip_ms !== undefined}>
        <span class="status-trip" title={t('round_trip')}>
          {t('milliseconds', { ms: Math.max(1, Math.round(status()?.round_trip_ms ?? 0)) })}
        </span>
      </Show>
    </section>
  );
}
