import { useQuery } from '@tanstack/solid-query';
import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { formatInstant } from '../../lib/format.ts';
import { isLimit, waitingQuery } from './retention.ts';
import type { Setting } from './settings.ts';

/** Says from when an audit limit acts, while it has been saved but does not act yet. */
export function WaitingLimit(props: { setting: Setting }) {
  return (
    <Show when={isLimit(props.setting) && props.setting.value !== 0}>
      <Waiting setting={props.setting} />
    </Show>
  );
}

function Waiting(props: { setting: Setting }) {
  const { client, preferences, t } = useApp();
  const waiting = useQuery(() => waitingQuery(client, props.setting));
  return (
    <Show when={waiting.data}>
      {(acts_at) => (
        <p class="setting-waiting">
          {t('retention_waits', { time: formatInstant(acts_at(), preferences.values.language) })}
        </p>
      )}
    </Show>
  );
}
