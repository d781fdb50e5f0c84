import { Show } from 'solid-js';
import { useApp } from '../app-context.ts';
import { formatMoment } from '../lib/format.ts';
import type { Server } from './servers.ts';
import { StatusDot } from './status/dot.tsx';
import { describeStatus, stateWords, useStatusWatch } from './status/status.ts';

export function StatusCell(props: { server_id: number }) {
  const { preferences, t } = useApp();
  const { statusOf } = useStatusWatch();
  const status = () => statusOf(props.server_id);
  const language = () => preferences.values.language;
  return (
    <div class="servers-status" title={describeStatus(status(), language(), t)}>
      <span class="servers-state">
        <StatusDot status={status().status} /> {stateWords(status(), t)}
        <Show when={status().latency_ms !== null}>
          <span class="table-soft">{t('milliseconds', { ms: Math.round(status().latency_ms ?? 0) })}</span>
        </Show>
      </span>
      <Show when={status().error}>
        <span class="servers-error">{status().error}</span>
      </Show>
      <Show when={status().last_checked}>
        {(time) => (
          <span class="visually-hidden">{t('checked_at', { time: formatMoment(time(), language()) })}</span>
        )}
      </Show>
      <Show when={status().host_key_verified === false}>
        <span class="badge badge-busy">{t('host_key_not_verified')}</span>
      </Show>
    </div>
  );
}

export function CredentialCell(props: { server: Server }) {
  const { t } = useApp();
  const is_missing = () => {
    const { auth_method, has_password, has_private_key } = props.server;
    return (auth_method === 'password' && !has_password) || (auth_method === 'key' && !has_private_key);
  };
  return (
    <span class="badges">
      {t(`auth_${props.server.auth_method}`)}
      <Show when={is_missing()}>
        <span class="badge badge-bad">{t('credential_missing')}</span>
      </Show>
    </span>
  );
}
