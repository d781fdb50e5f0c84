import { createEffect, createMemo, createSignal, For, on, Show } from 'solid-js';
import { useApp } from '../app-context.ts';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import { ReasonButton } from '../parts/reason-button.tsx';
import { useWorkspace } from '../shell/workspace.ts';
import type { Server } from './servers.ts';
import { CredentialCell, StatusCell } from './table-cells.tsx';
import './table.css';

const PAGE_ROWS = 200; // more at once make the page slow, and nobody reads them

interface Props {
  readonly servers: readonly Server[];
  /** Those outside the filter may be jump hosts of those inside. */
  readonly all: readonly Server[];
}

export function ServerTable(props: Props) {
  const { t } = useApp();
  const [rows, setRows] = createSignal(PAGE_ROWS);
  const names = createMemo(() => new Map(props.all.map(({ id, name }) => [id, name])));
  const hidden = () => Math.max(0, props.servers.length - rows());
  createEffect(
    on(
      () => props.servers.length,
      () => setRows(PAGE_ROWS),
      { defer: true },
    ),
  );
  return (
    <>
      <div class="table-place">
        <table class="table servers" aria-labelledby="servers-title">
          <thead>
            <tr>
              <th scope="col">{t('name')}</th>
              <th scope="col">{t('address')}</th>
              <th scope="col">{t('group')}</th>
              <th scope="col">{t('via')}</th>
              <th scope="col">{t('status')}</th>
              <th scope="col">{t('host_key')}</th>
              <th scope="col">{t('credential')}</th>
              <th scope="col">
                <span class="visually-hidden">{t('action')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            <For each={props.servers.slice(0, rows())}>
              {(server) => <ServerTableRow server={server} via={names().get(server.jump_via_id ?? 0)} />}
            </For>
          </tbody>
        </table>
      </div>
      <Show when={hidden() > 0}>
        <button type="button" class="button" onClick={() => setRows(rows() + PAGE_ROWS)}>
          {t('show_more', { count: hidden() })}
        </button>
      </Show>
    </>
  );
}

function ServerTableRow(props: { server: Server; via: string | undefined }) {
  const { t } = useApp();
  const server = () => props.server;
  return (
    <tr>
      <th scope="row" class="servers-name">
        {server().name}
      </th>
      <td class="servers-address">
        {server().username}@<wbr />
        {server().hostname}:{server().port}
      </td>
      <td>
        <Show when={server().group} fallback={<span class="table-soft">{t('ungrouped')}</span>}>
          <span class="tag" title={server().group}>
            {server().group}
          </span>
        </Show>
      </td>
      <td class="table-soft">{props.via ? t('via_of', { name: props.via }) : ''}</td>
      <td>
        <StatusCell server_id={server().id} />
      </td>
      <td class="table-soft">
        <Show when={server().host_key_fingerprint} fallback={t('not_pinned')}>
          {(fingerprint) => (
            <code class="servers-key" title={fingerprint()}>
              {fingerprint().replace(/^SHA256:/, '')}
            </code>
          )}
        </Show>
      </td>
      <td>
        <CredentialCell server={server()} />
      </td>
      <td class="servers-action">
        <RowActions server={server()} />
      </td>
    </tr>
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
