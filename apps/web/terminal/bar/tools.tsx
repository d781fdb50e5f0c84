import Bot from 'lucide-solid/icons/bot';
import Code from 'lucide-solid/icons/code';
import Columns2 from 'lucide-solid/icons/columns-2';
import EllipsisVertical from 'lucide-solid/icons/ellipsis-vertical';
import FolderOpen from 'lucide-solid/icons/folder-open';
import RadioTower from 'lucide-solid/icons/radio-tower';
import Rows2 from 'lucide-solid/icons/rows-2';
import Search from 'lucide-solid/icons/search';
import Share2 from 'lucide-solid/icons/share-2';
import Shield from 'lucide-solid/icons/shield';
import { For } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { useAgentPanels } from '../../agent/panels.ts';
import { useApp } from '../../app/context.ts';
import type { TextKey } from '../../i18n/languages.ts';
import { canReceive } from '../../open-terminals/broadcast.ts';
import { useOpenTerminals } from '../../open-terminals/open-terminals.ts';
import type { TerminalHandle } from '../../open-terminals/terminals.ts';
import { Menu, MenuItem, MenuSeparator } from '../../parts/menu.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { useKnownServers } from '../../servers/known-servers.ts';
import { splitActions } from '../../workspace/panes/split-actions.ts';
import { useWorkspace, type Workspace } from '../../workspace/workspace.ts';
import { FinishItem } from '../alerts/finish-item.tsx';

interface Props {
  readonly handle: TerminalHandle;
}

interface Tool {
  readonly label: TextKey;
  /** A short text beside the icon, where there is room. */
  readonly text?: TextKey;
  readonly icon: typeof Share2;
  readonly hint?: string;
  /** Only in the menu. */
  readonly is_listed?: boolean;
  /** Why the tool is disabled, if it is. */
  why?(): string | undefined;
  run(): void;
}

/** Split, search and the files of the same server. */
function createPlaceTools(handle: TerminalHandle): () => readonly Tool[] {
  const { t } = useApp();
  const { panes } = useWorkspace();
  const { serverOf } = useKnownServers();
  const server = () => serverOf(handle.server_id());
  const openFiles = () =>
    panes.openNextTo(handle.tab_id, {
      kind: 'files',
      server_id: handle.server_id(),
      server_name: handle.server_name(),
      path: handle.directory() ?? '',
    });
  const splits = () =>
    splitActions(panes, handle.tab_id).map(({ label, hint, why, run }, at) => ({
      ...{ label, hint, run, icon: at === 0 ? Columns2 : Rows2 },
      ...{ why: () => why && t(why), is_listed: at > 0 },
    }));
  const search: Tool = {
    label: 'terminal_search',
    icon: Search,
    hint: 'Ctrl+Shift+F',
    run: handle.search,
  };
  const files: Tool = {
    label: 'terminal_files',
    icon: FolderOpen,
    why: () => (server()?.sftp_enabled ? undefined : t('sftp_off')),
    run: openFiles,
  };
  return () => [...splits(), search, ...(server() ? [files] : [])];
}

function createShellTools(handle: TerminalHandle): () => readonly Tool[] {
  const { t } = useApp();
  const { show } = useWorkspace();
  const { terminals } = useOpenTerminals();
  const agent = useAgentPanels();
  const { tab_id } = handle;
  const whyNoShell = () => (handle.session_id() === undefined ? t('bar_no_shell') : undefined);
  const whyNoKeys = () => whyNoShell() ?? (handle.mode() === 'ro' ? t('bar_read_only') : undefined);
  const whyAlone = () =>
    terminals.list().filter(canReceive).length < 2 ? t('broadcast_needs_two') : undefined;
  const whyUnknown = () =>
    whyNoShell() ?? (handle.connection().length === 0 ? t('connection_unknown') : undefined);
  const window = (kind: 'share' | 'snippets' | 'broadcast' | 'connection') => () => show({ kind, tab_id });
  const share: Tool = {
    ...{ label: 'share_terminal', text: 'share', icon: Share2 },
    ...{ why: whyNoShell, run: window('share') },
  };
  const snippets: Tool = {
    ...{ label: 'snippet_send_one', text: 'snippets', icon: Code, hint: 'Ctrl+Shift+S' },
    ...{ why: whyNoKeys, run: window('snippets') },
  };
  const broadcast: Tool = {
    ...{ label: 'broadcast_begin', text: 'broadcast', icon: RadioTower, hint: 'Ctrl+Shift+B' },
    ...{ why: () => whyNoKeys() ?? whyAlone(), run: window('broadcast') },
  };
  const connection: Tool = {
    ...{ label: 'connection_details', icon: Shield, is_listed: true },
    ...{ why: whyUnknown, run: window('connection') },
  };
  const ask: Tool = {
    ...{ label: 'agent_ask', text: 'agent_ask_short', icon: Bot },
    run: () => agent.open({ tab_id }),
  };
  return () => [
    ...(handle.role() === 'owner' ? [share] : []),
    snippets,
    broadcast,
    ...(handle.server_id() > 0 ? [ask] : []),
    ...(handle.role() === 'owner' ? [connection] : []),
  ];
}

/** Side by side if there is room, and always in one menu. */
export function TerminalTools(props: Props) {
  const place = createPlaceTools(props.handle);
  const shell = createShellTools(props.handle);
  return (
    <div class="pane-tools">
      <For each={[...place(), ...shell()].filter(({ is_listed }) => !is_listed)}>
        {(tool) => <ToolButton tool={tool} />}
      </For>
      <TerminalMenu handle={props.handle} place={place()} shell={shell()} />
    </div>
  );
}

function ToolButton(props: { tool: Tool }) {
  const { t } = useApp();
  const label = () => t(props.tool.label);
  return (
    <ReasonButton
      class="pane-tool"
      folds
      {...(props.tool.text ? {} : { label: label() })}
      title={props.tool.hint ? `${label()} (${props.tool.hint})` : label()}
      why={props.tool.why?.()}
      onPress={props.tool.run}
    >
      <Dynamic component={props.tool.icon} size={15} aria-hidden="true" />
      {props.tool.text && <span class="pane-tool-text">{t(props.tool.text)}</span>}
    </ReasonButton>
  );
}

interface MenuProps extends Props {
  readonly place: readonly Tool[];
  readonly shell: readonly Tool[];
}

/** On phones and in narrow panes the only way to the tools, including actions that are keyboard shortcuts elsewhere. */
function TerminalMenu(props: MenuProps) {
  const { preferences, t } = useApp();
  const workspace: Workspace = useWorkspace();
  const { tab_id } = props.handle;
  return (
    <Menu
      label={t('bar_of', { name: props.handle.server_name() })}
      icon={<EllipsisVertical size={16} aria-hidden="true" />}
      class="pane-tool pane-menu"
    >
      <For each={[...props.shell, ...props.place]}>
        {(tool) => (
          <MenuItem
            label={t(tool.label)}
            {...(tool.hint ? { hint: tool.hint } : {})}
            why={tool.why?.()}
            later
            onSelect={tool.run}
          />
        )}
      </For>
      <MenuItem label={t('tab_rename')} onSelect={() => workspace.show({ kind: 'rename_tab', tab_id })} />
      <FinishItem terminal={props.handle} />
      <MenuSeparator />
      <MenuItem label={t('save_output')} onSelect={() => void props.handle.saveOutput()} />
      <MenuItem label={t('terminal_clear')} onSelect={() => props.handle.clear()} />
      <MenuSeparator />
      <MenuItem label={t('font_larger')} stays onSelect={() => preferences.zoom(1)} />
      <MenuItem label={t('font_smaller')} stays onSelect={() => preferences.zoom(-1)} />
    </Menu>
  );
}
