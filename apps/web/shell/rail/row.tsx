import Ellipsis from 'lucide-solid/icons/ellipsis';
import FolderOpen from 'lucide-solid/icons/folder-open';
import PanelTop from 'lucide-solid/icons/panel-top';
import SquareTerminal from 'lucide-solid/icons/square-terminal';
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { shownName } from '../../lib/hidden-characters.ts';
import { CutName } from '../../parts/cut-name.tsx';
import { Marked } from '../../parts/marked.tsx';
import { Name } from '../../parts/name.tsx';
import { addressOf, type Server } from '../../servers/servers.ts';
import { StatusDot } from '../../servers/status/dot.tsx';
import { describeStatus, isKeyChanged, stateWords, useStatusWatch } from '../../servers/status/status.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { isOffered, type Offer, useOpenGroup, useOpening } from './opening.ts';
import type { RailModel } from './rail-model.ts';
import { rangesOfName, reasonsOfMatch } from './reasons.ts';
import { groupOf, type SectionRow, type ServerRow } from './rows.ts';

interface RowProps<R> {
  readonly row: R;
  readonly model: RailModel;
  /** Its details and buttons are shown. */
  readonly is_open: boolean;
  readonly onMenu: (at: HTMLElement) => void;
}

export function useSectionTitle(): (id: string) => string {
  const { t } = useApp();
  return (id) => {
    if (id === 'favorites') return t('favorites');
    if (id === 'recents') return t('recents');
    return groupOf(id) || t('ungrouped');
  };
}

export function SectionView(props: RowProps<SectionRow>) {
  const { t } = useApp();
  const titleOf = useSectionTitle();
  const offline = () => props.model.offlineIn(props.row.section);
  return (
    <>
      {/* A template is copied far faster than an icon component is built. */}
      <svg class="rail-chevron" width="14" height="14" viewBox="0 0 24 24" aria-hidden="true">
        <path d="m9 18 6-6-6-6" />
      </svg>
      <span class="rail-section-name" title={titleOf(props.row.section.id)}>
        {titleOf(props.row.section.id)}
      </span>
      <span class="rail-count" title={t('rail_servers', { count: props.row.section.server_ids.length })}>
        {props.row.section.server_ids.length}
      </span>
      <Show when={offline() > 0}>
        <Offline count={offline()} onPress={props.model.showOffline(props.row.section)} />
      </Show>
      <Show when={props.is_open && groupOf(props.row.section.id) !== undefined}>
        <GroupButton name={groupOf(props.row.section.id) ?? ''} />
      </Show>
    </>
  );
}

/** The number of offline servers. Pressing it shows only these. */
function Offline(props: { count: number; onPress: (() => void) | undefined }) {
  const { t } = useApp();
  const text = () => t('rail_offline', { count: props.count });
  return (
    <Show when={props.onPress} fallback={<span class="rail-offline">{text()}</span>}>
      {(press) => (
        <button
          type="button"
          class="rail-offline rail-offline-button"
          tabIndex={-1}
          title={t('rail_show_offline')}
          onClick={(event) => {
            event.stopPropagation();
            press()();
          }}
        >
          {text()}
        </button>
      )}
    </Show>
  );
}

/** For the pointer: in the tree, Ctrl+Enter and the menu do the same. */
function GroupButton(props: { name: string }) {
  const { t } = useApp();
  const openGroup = useOpenGroup();
  return (
    <span class="rail-actions" aria-hidden="true">
      <button
        type="button"
        class="icon-button rail-action"
        tabIndex={-1}
        title={t('rail_open_group')}
        onClick={(event) => {
          event.stopPropagation();
          openGroup(props.name);
        }}
      >
        <PanelTop size={15} aria-hidden="true" />
      </button>
    </span>
  );
}

/** One server: status and name; address, tags and buttons while it is pointed at. */
export function ServerView(props: RowProps<ServerRow> & { readonly server: Server }) {
  const { t } = useApp();
  const { statusOf } = useStatusWatch();
  const status = () => statusOf(props.row.server_id);
  const is_shown_bad = () => !props.is_open && (status().status === 'offline' || isKeyChanged(status()));
  const words = () => props.model.query().words;
  return (
    <>
      <StatusDot status={status().status} />
      <span class="rail-name">
        <CutName
          text={props.server.name}
          ranges={rangesOfName(words(), props.server.name, props.row.is_scattered)}
        />
      </span>
      <Show when={props.is_open} fallback={<Reasons server={props.server} model={props.model} />}>
        <span class="rail-aside" aria-hidden="true">
          <Name text={addressOf(props.server)} />
          <For each={props.server.tags}>
            {(tag) => (
              <span class="tag rail-tag">
                <Name text={tag} />
              </span>
            )}
          </For>
        </span>
      </Show>
      <span classList={{ 'rail-bad': is_shown_bad(), 'visually-hidden': !is_shown_bad() }}>
        {stateWords(status(), t)}
      </span>
      <Show when={props.is_open}>
        <RowButtons server={props.server} onMenu={props.onMenu} />
      </Show>
    </>
  );
}

/** What else matched, or the group of a server in a flat list. */
function Reasons(props: { server: Server; model: RailModel }) {
  return (
    <span class="rail-aside" aria-hidden="true">
      <For each={reasonsOfMatch(props.model.query().words, props.server)}>
        {(reason) => (
          <span class="rail-reason">
            <Marked text={reason.text} ranges={reason.ranges} />
          </span>
        )}
      </For>
    </span>
  );
}

/** For the pointer: in the tree, keys and the menu do the same. */
function RowButtons(props: { server: Server; onMenu: (at: HTMLElement) => void }) {
  const { t } = useApp();
  return (
    <span class="rail-actions" aria-hidden="true">
      <OpenButton kind="terminal" server={props.server}>
        <SquareTerminal size={15} aria-hidden="true" />
      </OpenButton>
      <OpenButton kind="files" server={props.server}>
        <FolderOpen size={15} aria-hidden="true" />
      </OpenButton>
      <MoreButton label={t('more_about', { name: props.server.name })} onMenu={props.onMenu} />
    </span>
  );
}

/** For the pointer: the row itself says whether it is selected. */
export function Tick(props: { is_chosen: boolean; onToggle: (event: MouseEvent) => void }) {
  return (
    <input
      type="checkbox"
      class="rail-tick"
      tabIndex={-1}
      aria-hidden="true"
      checked={props.is_chosen}
      onClick={(event) => {
        event.stopPropagation();
        props.onToggle(event);
      }}
    />
  );
}

export function MoreButton(props: { label: string; onMenu: (at: HTMLElement) => void }) {
  return (
    <button
      type="button"
      class="icon-button rail-action"
      tabIndex={-1}
      aria-label={props.label}
      title={props.label}
      aria-haspopup="menu"
      onClick={(event) => {
        event.stopPropagation();
        props.onMenu(event.currentTarget);
      }}
    >
      <Ellipsis size={15} aria-hidden="true" />
    </button>
  );
}

/** Shown with the reason if the server does not offer this. */
function OpenButton(props: { kind: Offer; server: Server; children: JSX.Element }) {
  const { t } = useApp();
  const { open } = useOpening();
  const is_on = () => isOffered(props.server, props.kind);
  const label = () =>
    t(props.kind === 'terminal' ? 'open_terminal' : 'open_files', { name: props.server.name });
  const reason = () => t(props.kind === 'terminal' ? 'ssh_off' : 'sftp_off');
  return (
    <button
      type="button"
      class="icon-button rail-action"
      tabIndex={-1}
      aria-label={is_on() ? label() : `${label()}: ${reason()}`}
      title={is_on() ? label() : reason()}
      aria-disabled={!is_on()}
      onClick={(event) => {
        event.stopPropagation();
        if (isFirstOfClicks(event)) open(props.server, props.kind);
      }}
    >
      {props.children}
    </button>
  );
}

/** The second click of a double click must not open a second tab. */
export function isFirstOfClicks({ detail }: MouseEvent): boolean {
  return detail <= 1; // 0 when triggered by a key
}

/** The tooltip of a row. */
export function useAbout(): (server: Server) => string {
  const { preferences, t } = useApp();
  const { statusOf } = useStatusWatch();
  return (server) =>
    [
      shownName(server.name),
      server.description,
      addressOf(server),
      server.tags.join(', '),
      describeStatus(statusOf(server.id), preferences.values.language, t),
    ]
      .filter((line) => line)
      .join('\n');
}

/** Whether the active tab is on this server. */
export function useIsCurrent(): (server_id: number) => boolean {
  const { tabs } = useWorkspace();
  return (server_id) => tabs.active()?.server_id === server_id;
}
