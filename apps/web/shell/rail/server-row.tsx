import Ellipsis from 'lucide-solid/icons/ellipsis';
import FolderOpen from 'lucide-solid/icons/folder-open';
import SquareTerminal from 'lucide-solid/icons/square-terminal';
import { For, Show } from 'solid-js';
import { useApp } from '../../app-context.ts';
import { Menu, MenuItem, MenuSeparator } from '../../parts/menu.tsx';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import type { Server } from '../../servers/servers.ts';
import { StatusDot } from '../../servers/status/dot.tsx';
import { describeStatus, isKeyChanged, stateWords, useStatusWatch } from '../../servers/status/status.ts';
import type { TabKind } from '../tabs/tabs.ts';
import { useWorkspace } from '../workspace.ts';

/** One server: its name opens a terminal, or files if it offers no terminal. */
export function ServerRow(props: { server: Server }) {
  const { preferences, t } = useApp();
  const { tabs, setSheetOpen } = useWorkspace();
  const { statusOf } = useStatusWatch();
  const status = () => statusOf(props.server.id);
  const is_changed = () => isKeyChanged(status());
  const about = () =>
    [
      props.server.description,
      is_changed() ? addressOf(props.server) : '',
      describeStatus(status(), preferences.values.language, t),
    ]
      .filter((line) => line)
      .join('\n');
  const open = (kind: TabKind) => {
    setSheetOpen(false);
    tabs.open({ kind, server_id: props.server.id, server_name: props.server.name });
  };
  const first = (): TabKind | undefined => firstOffer(props.server);
  const is_offline = () => status().status === 'offline';
  return (
    <li class="server">
      <button
        type="button"
        class="server-open"
        title={about()}
        aria-disabled={first() === undefined}
        onClick={(event) => {
          const kind = first();
          if (kind && isFirstOfClicks(event)) open(kind);
        }}
      >
        <span class="server-head">
          <StatusDot status={status().status} />
          <span class="server-name">{props.server.name}</span>
          <Show when={!is_changed()}>
            <span classList={{ 'server-bad': is_offline(), 'visually-hidden': !is_offline() }}>
              {stateWords(status(), t)}
            </span>
          </Show>
        </span>
        <span class="server-address" classList={{ 'server-bad': is_changed() }}>
          {is_changed() ? stateWords(status(), t) : addressOf(props.server)}
        </span>
        <Show when={props.server.tags.length > 0}>
          <span class="server-tags">
            <For each={props.server.tags}>
              {(tag) => (
                <span class="tag" title={tag}>
                  {tag}
                </span>
              )}
            </For>
          </span>
        </Show>
      </button>
      <div class="server-actions">
        <OpenButton kind="terminal" server={props.server} onOpen={open} />
        <OpenButton kind="files" server={props.server} onOpen={open} />
        <ServerMenu server={props.server} />
      </div>
    </li>
  );
}

function addressOf({ username, hostname, port }: Server): string {
  return `${username}@${hostname}${port === 22 ? '' : `:${port}`}`;
}

/** The second click of a double click must not open a second tab. */
function isFirstOfClicks({ detail }: MouseEvent): boolean {
  return detail <= 1; // 0 when triggered by a key
}

export function firstOffer(server: Server): TabKind | undefined {
  if (server.ssh_enabled) return 'terminal';
  return server.sftp_enabled ? 'files' : undefined;
}

interface OpenProps {
  readonly kind: TabKind;
  readonly server: Server;
  readonly onOpen: (kind: TabKind) => void;
}

/** Shown with the reason if the server does not offer this. */
function OpenButton(props: OpenProps) {
  const { t } = useApp();
  const is_on = () => (props.kind === 'terminal' ? props.server.ssh_enabled : props.server.sftp_enabled);
  const label = () =>
    t(props.kind === 'terminal' ? 'open_terminal' : 'open_files', { name: props.server.name });
  const reason = () => t(props.kind === 'terminal' ? 'ssh_off' : 'sftp_off');
  return (
    <button
      type="button"
      class="icon-button icon-button-small"
      aria-label={is_on() ? label() : `${label()}: ${reason()}`}
      title={is_on() ? label() : reason()}
      aria-disabled={!is_on()}
      onClick={(event) => is_on() && isFirstOfClicks(event) && props.onOpen(props.kind)}
    >
      <Show when={props.kind === 'terminal'} fallback={<FolderOpen size={16} aria-hidden="true" />}>
        <SquareTerminal size={16} aria-hidden="true" />
      </Show>
    </button>
  );
}

function ServerMenu(props: { server: Server }) {
  const { session, t } = useApp();
  const { show, setSheetOpen } = useWorkspace();
  const why = useReadOnlyReason();
  const pick = (kind: 'test' | 'delete' | 'server_form' | 'host_key') => {
    setSheetOpen(false);
    show({ kind, server: props.server });
  };
  return (
    <Menu
      label={t('more_about', { name: props.server.name })}
      icon={<Ellipsis size={16} aria-hidden="true" />}
      class="icon-button icon-button-small"
    >
      <MenuItem label={t('test_connection')} why={why()} onSelect={() => pick('test')} />
      <Show when={session.user()?.is_admin}>
        <MenuItem label={t('edit')} why={why()} onSelect={() => pick('server_form')} />
        <MenuItem
          label={t('accept_new_key')}
          disabled={props.server.host_key_fingerprint === ''}
          why={why()}
          onSelect={() => pick('host_key')}
        />
        <MenuSeparator />
        <MenuItem label={t('delete')} danger why={why()} onSelect={() => pick('delete')} />
      </Show>
    </Menu>
  );
}
