import { useQuery } from '@tanstack/solid-query';
import { For, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { useApp } from '../app/context.ts';
import { healthQuery } from '../lib/gateway-info.ts';
import { useStatusWatch } from '../servers/status/status.ts';
import { useFeatures } from '../workspace/features.ts';
import { type PaneStatus, useWorkspace } from '../workspace/workspace.ts';

const INSTANCE_LETTERS = 8; // enough of a UUID to tell instances apart

/** The user, the instance and the active pane's status; a lost gateway takes precedence. */
export function StatusLine() {
  const { client, session, t } = useApp();
  const { tabs, statuses } = useWorkspace();
  const features = useFeatures();
  const health = useQuery(() => healthQuery(client));
  const { is_lost } = useStatusWatch();
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
      <Show when={health.data}>
        {(data) => (
          <span class="status-instance" title={data().instance_id}>
            {t('instance', { id: data().instance_id.slice(0, INSTANCE_LETTERS) })}
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
