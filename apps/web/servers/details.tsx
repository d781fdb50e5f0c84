import { createMemo, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import type { RefusalText } from '../i18n/refusals.ts';
import { formatMoment } from '../lib/format.ts';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import { ReasonButton } from '../parts/reason-button.tsx';
import { DrawerActions, Fact, Facts } from '../parts/table/drawer.tsx';
import type { Window } from '../workspace/windows.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { addressOf, Credential, keyExchangeOf } from './facts.tsx';
import type { Server } from './servers.ts';
import { StatusDot } from './status/dot.tsx';
import { isKeyChanged, stateWords, useStatusWatch } from './status/status.ts';

/** All that is known about a server, with what can be done about it. */
export function ServerDetails(props: { server: Server; via: string }) {
  const { t } = useApp();
  const server = () => props.server;
  return (
    <>
      <Actions server={server()} />
      <Status server_id={server().id} />
      <Facts>
        <Fact label={t('address')}>{addressOf(server())}</Fact>
        <Fact label={t('jump_host')}>{props.via}</Fact>
        <Fact label={t('group')}>{server().group || t('ungrouped')}</Fact>
        <Fact label={t('tags')}>{server().tags.join(', ')}</Fact>
        <Fact label={t('description')}>{server().description}</Fact>
        <Fact label={t('credential')}>
          <Credential server={server()} />
        </Fact>
        <Fact label={t('host_key')}>
          <Show when={server().host_key_fingerprint} fallback={t('not_pinned')}>
            <code>{server().host_key_fingerprint}</code>
          </Show>
        </Fact>
        <Fact label={t('key_exchange')}>
          <KeyExchange server={server()} />
        </Fact>
        <Fact label={t('host_software')}>{server().server_version}</Fact>
        <Fact label={t('access')}>{accessOf(server(), t)}</Fact>
        <Fact label={t('allowed_paths')}>{server().sftp_allowed_paths.join(', ')}</Fact>
      </Facts>
    </>
  );
}

function KeyExchange(props: { server: Server }) {
  const { t } = useApp();
  const known = () => keyExchangeOf(props.server, t);
  return (
    <>
      <p>
        {known().text}
        <Show when={props.server.key_exchange}>
          {(name) => (
            <>
              {' '}
              <code>{name()}</code>
            </>
          )}
        </Show>
      </p>
      <Show when={known().reason}>{(reason) => <p class="table-soft server-reason">{reason()}</p>}</Show>
    </>
  );
}

function accessOf(server: Server, t: ReturnType<typeof useApp>['t']): string {
  const { ssh_enabled, sftp_enabled, sftp_read_only } = server;
  return [
    ssh_enabled ? t('ssh_enabled') : '',
    sftp_enabled ? t('sftp_enabled') : '',
    sftp_enabled && sftp_read_only ? t('sftp_read_only') : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** What the last check found; the whole error of a failed one. */
function Status(props: { server_id: number }) {
  const { preferences, t } = useApp();
  const { statusOf } = useStatusWatch();
  const status = () => statusOf(props.server_id);
  const reason = (): RefusalText | undefined => {
    const { error, error_code } = status();
    if (error === null) return undefined;
    return error_code === null ? { text: error } : t.refusal(error_code, error);
  };
  const moments = createMemo(() => {
    const { last_checked, offline_since } = status();
    const at = (key: 'offline_since' | 'checked_at', moment: string | null) =>
      moment && t(key, { time: formatMoment(moment, preferences.values.language) });
    return [at('offline_since', offline_since), at('checked_at', last_checked)].filter(Boolean).join(' · ');
  });
  return (
    <div class="server-state" classList={{ 'server-state-bad': status().status === 'offline' }}>
      <p>
        <span class="table-line">
          <StatusDot status={status().status} /> {stateWords(status(), t)}
          <Show when={status().latency_ms !== null}>
            <span class="table-soft">{t('milliseconds', { ms: Math.round(status().latency_ms ?? 0) })}</span>
          </Show>
        </span>
      </p>
      <Show when={reason()}>
        {(found) => (
          <>
            <p>{found().text}</p>
            <Show when={found().specifics}>{(specifics) => <p class="table-soft">{specifics()}</p>}</Show>
          </>
        )}
      </Show>
      <Show when={moments()}>{(text) => <p class="table-soft">{text()}</p>}</Show>
      <Show when={status().host_key_verified === false}>
        <p>
          <span class="badge badge-busy">{t('host_key_not_verified')}</span>
        </p>
      </Show>
    </div>
  );
}

function Actions(props: { server: Server }) {
  const { session, t } = useApp();
  const { show, tabs } = useWorkspace();
  const { statusOf } = useStatusWatch();
  const why = useReadOnlyReason();
  const open = (kind: 'terminal' | 'files') =>
    tabs.open({ kind, server_id: props.server.id, server_name: props.server.name });
  const act = (kind: Extract<Window, { server: Server }>['kind']) => show({ kind, server: props.server });
  return (
    <DrawerActions>
      <button
        type="button"
        class="button button-primary"
        disabled={!props.server.ssh_enabled}
        onClick={() => open('terminal')}
      >
        {t('open_a_terminal')}
      </button>
      <button
        type="button"
        class="button"
        disabled={!props.server.sftp_enabled}
        onClick={() => open('files')}
      >
        {t('open_the_files')}
      </button>
      <ReasonButton why={why()} onPress={() => act('test')}>
        {t('test')}
      </ReasonButton>
      <Show when={session.user()?.is_admin}>
        <ReasonButton why={why()} onPress={() => show({ kind: 'server_form', server: props.server })}>
          {t('edit')}
        </ReasonButton>
        <Show when={isKeyChanged(statusOf(props.server.id))}>
          <ReasonButton why={why()} onPress={() => act('host_key')}>
            {t('accept_new_key')}
          </ReasonButton>
        </Show>
        <ReasonButton why={why()} onPress={() => act('delete')}>
          {t('delete')}
        </ReasonButton>
      </Show>
    </DrawerActions>
  );
}
