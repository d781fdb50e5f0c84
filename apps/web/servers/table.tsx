import { createEffect, createMemo, createSignal, on, Show } from 'solid-js';
import { useApp } from '../app-context.ts';
import { formatMoment } from '../lib/format.ts';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import { ReasonButton } from '../parts/reason-button.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { useWorkspace } from '../shell/workspace.ts';
import type { Server } from './servers.ts';
import { StatusDot } from './status/dot.tsx';
import { describeStatus, stateWords, useStatusWatch } from './status/status.ts';
import './table.css';

const PAGE_ROWS = 200; // more rows at once make the page slow

interface Props {
  readonly servers: readonly Server[];
  /** Includes servers outside the filter, which may be jump hosts of those inside. */
  readonly all: readonly Server[];
}

export function ServerTable(props: Props) {
  const { t } = useApp();
  const servers = createMemo(() => props.servers); // the caller filters each time this is read
  const [shown, setShown] = createSignal(PAGE_ROWS);
  const columns = createColumns(props);
  const hidden = () => Math.max(0, servers().length - shown());
  createEffect(
    on(
      () => servers().length,
      () => setShown(PAGE_ROWS),
      { defer: true },
    ),
  );
  return (
    <>
      <Table
        class="servers"
        labelled_by="servers-title"
        columns={columns}
        rows={servers().slice(0, shown())}
        empty={t('no_servers_match')}
      />
      <Show when={hidden() > 0}>
        <button type="button" class="button" onClick={() => setShown(shown() + PAGE_ROWS)}>
          {t('show_more', { count: hidden() })}
        </button>
      </Show>
    </>
  );
}

function createColumns(props: Props): Column<Server>[] {
  const { t } = useApp();
  const names = createMemo(() => new Map(props.all.map(({ id, name }) => [id, name])));
  const viaOf = ({ jump_via_id }: Server) => {
    const name = names().get(jump_via_id ?? 0);
    return name ? t('via_of', { name }) : '';
  };
  return [
    { title: 'name', is_row_name: true, class: 'servers-name', cell: (server) => server.name },
    { title: 'address', class: 'servers-address', cell: (server) => <AddressCell server={server} /> },
    { title: 'group', cell: (server) => <GroupCell server={server} /> },
    { title: 'via', class: 'table-soft', cell: viaOf },
    { title: 'status', cell: (server) => <StatusCell server_id={server.id} /> },
    { title: 'host_key', class: 'table-soft', cell: (server) => <HostKeyCell server={server} /> },
    { title: 'credential', cell: (server) => <CredentialCell server={server} /> },
    {
      title: 'action',
      is_title_hidden: true,
      class: 'servers-action',
      cell: (server) => <RowActions server={server} />,
    },
  ];
}

function AddressCell(props: { server: Server }) {
  return (
    <>
      {props.server.username}@<wbr />
      {props.server.hostname}:{props.server.port}
    </>
  );
}

function GroupCell(props: { server: Server }) {
  const { t } = useApp();
  return (
    <Show when={props.server.group} fallback={<span class="table-soft">{t('ungrouped')}</span>}>
      <span class="tag" title={props.server.group}>
        {props.server.group}
      </span>
    </Show>
  );
}

function StatusCell(props: { server_id: number }) {
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

function HostKeyCell(props: { server: Server }) {
  const { t } = useApp();
  return (
    <Show when={props.server.host_key_fingerprint} fallback={t('not_pinned')}>
      {(fingerprint) => (
        <code class="servers-key" title={fingerprint()}>
          {fingerprint().replace(/^SHA256:/, '')}
        </code>
      )}
    </Show>
  );
}

function CredentialCell(props: { server: Server }) {
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

function RowActions(props: { server: Server }) {
  const { t } = useApp();
  const { show } = useWorkspace();
  const why = useReadOnlyReason();
  const name = () => props.server.name;
  return (
    <span class="servers-actions">
      <ReasonButton
        label={t('test_of', { name: name() })}
        why={why()}
        onPress={() => show({ kind: 'test', server: props.server })}
      >
        {t('test')}
      </ReasonButton>
      <ReasonButton
        label={t('edit_of', { name: name() })}
        why={why()}
        onPress={() => show({ kind: 'server_form', server: props.server })}
      >
        {t('edit')}
      </ReasonButton>
      <ReasonButton
        label={t('delete_named', { name: name() })}
        why={why()}
        onPress={() => show({ kind: 'delete', server: props.server })}
      >
        {t('delete')}
      </ReasonButton>
    </span>
  );
}
