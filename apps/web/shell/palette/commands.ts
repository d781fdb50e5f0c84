import type { Setting } from '../../admin/settings/settings.ts';
import type { AgentPanels } from '../../agent/panels.ts';
import { THEMES } from '../../app/preferences.ts';
import type { App } from '../../app-context.ts';
import { LANGUAGES } from '../../i18n/languages.ts';
import { canReceive } from '../../open-terminals/broadcast.ts';
import type { OpenTerminals } from '../../open-terminals/open-terminals.ts';
import { readDestination } from '../../quick-connect/destination.ts';
import { formatTarget, openQuick, targetOf } from '../../quick-connect/quick-connect.ts';
import { finishAction } from '../../terminal/alerts/finish-action.ts';
import { canShare } from '../../terminal/shares/shares.ts';
import type { Command } from '../../workspace/commands/command.ts';
import { splitActions } from '../../workspace/panes/split-actions.ts';
import { ACCOUNT_SECTIONS, ADMIN_SECTIONS } from '../../workspace/screens/sections.ts';
import { labelOf, type Tab } from '../../workspace/tabs/tabs.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { createCommandsOfScreens } from './create-commands.ts';
import { preferenceCommands } from './preference-commands.ts';

interface Known {
  readonly settings: readonly Setting[];
  /** The gateway accepts no changes. */
  readonly is_read_only: boolean;
  /** Quick connect is enabled. */
  readonly quick_enabled: boolean;
  readonly open_terminals: OpenTerminals;
  readonly agent: AgentPanels;
}

/** The commands that are not about one server: open tabs, actions, places. */
export function createCommands(app: App, workspace: Workspace, known: Known): Command[] {
  const { settings, is_read_only, quick_enabled } = known;
  return [
    ...tabCommands(app, workspace),
    ...workspace.commands.of(workspace.tabs.active()?.id ?? ''),
    ...terminalCommands(app, workspace, known.open_terminals),
    ...agentCommands(app, workspace, known.agent),
    ...(quick_enabled ? [quickCommand(app, workspace)] : []),
    ...actionCommands(app, workspace, is_read_only),
    ...(is_read_only ? [] : createCommandsOfScreens(app, workspace)),
    ...preferenceCommands(app),
    ...settings.map((setting) => settingCommand(app, workspace, setting)),
  ];
}

function tabCommands({ t }: App, { tabs, panes, statuses, show }: Workspace): Command[] {
  const switches = tabs.list
    .filter((tab) => tab.id !== tabs.active()?.id)
    .map((tab) => ({
      title: t('switch_to', { name: labelOf(tab, tabs.list) }),
      hint: t(`tab_kind_${tab.kind}`),
      run: () => tabs.activate(tab.id),
    }));
  const active = tabs.active();
  const reopen = tabs.can_reopen()
    ? [{ title: t('tab_reopen'), hint: 'Ctrl+Shift+T', run: tabs.reopen }]
    : [];
  if (!active) return [...switches, ...reopen];
  const openAgain = statuses[active.id]?.openAgain;
  return [
    ...(openAgain ? [{ title: t('open_again'), hint: labelOf(active, tabs.list), run: openAgain }] : []),
    ...switches,
    { title: t('close_tab'), hint: t('tab'), run: () => tabs.close(active.id) },
    { title: t('tab_rename_title'), hint: 'F2', run: () => show({ kind: 'rename_tab', tab_id: active.id }) },
    ...reopen,
    ...splitActions(panes, active.id)
      .filter(({ why }) => why === undefined)
      .map(({ label, hint, run }) => ({ title: t(label), hint, run })),
    ...closingCommands({ t, tabs, panes }, active),
    ...(panes.is_split() ? [{ title: t('panes_next'), hint: 'Ctrl+F6', run: () => panes.step(1) }] : []),
  ];
}

function closingCommands(
  { t, tabs, panes }: Pick<App, 't'> & Pick<Workspace, 'tabs' | 'panes'>,
  active: Tab,
): Command[] {
  const hint = t('tab');
  const is_single = active.kind !== 'terminal' && active.kind !== 'files';
  const ids = panes.group_ids().map((id) => panes.group(id)?.tab_ids ?? []);
  const own = ids.find((group) => group.includes(active.id)) ?? [];
  const others = own.filter((id) => id !== active.id);
  const right = own.slice(own.indexOf(active.id) + 1);
  return [
    ...(is_single ? [] : [{ title: t('tab_duplicate'), hint, run: () => panes.duplicate(active.id) }]),
    ...(others.length > 0 ? [{ title: t('tab_close_others'), hint, run: () => tabs.closeAll(others) }] : []),
    ...(right.length > 0 ? [{ title: t('tab_close_right'), hint, run: () => tabs.closeAll(right) }] : []),
  ];
}

/** Commands for the active terminal. */
function terminalCommands({ t }: App, workspace: Workspace, open_terminals: OpenTerminals): Command[] {
  const { tabs, notifier, show } = workspace;
  const { terminals, broadcast } = open_terminals;
  const tab_id = tabs.active()?.id ?? '';
  const handle = terminals.of(tab_id);
  if (!handle) return [];
  const hint = handle.server_name();
  const finish = finishAction(handle, notifier);
  const open = (kind: 'share' | 'snippets' | 'broadcast') => () => show({ kind, tab_id });
  return [
    ...(canShare(handle) ? [{ title: t('share_terminal'), hint, run: open('share') }] : []),
    ...(canReceive(handle)
      ? [
          { title: t('snippet_send_one'), hint: 'Ctrl+Shift+S', run: open('snippets') },
          { title: t('broadcast_begin'), hint: 'Ctrl+Shift+B', run: open('broadcast') },
        ]
      : []),
    ...(handle.ended() ? [] : [{ title: t(finish.label), hint, run: finish.run }]),
    { title: t('terminal_search'), hint: 'Ctrl+Shift+F', run: handle.search },
    ...(broadcast.members().length > 0
      ? [{ title: t('broadcast_stop'), hint: t('action'), run: broadcast.stop }]
      : []),
  ];
}

function agentCommands({ t }: App, { tabs }: Workspace, agent: AgentPanels): Command[] {
  const tab = tabs.active();
  if (!tab || tab.server_id === 0) return [];
  return [{ title: t('agent_ask'), hint: tab.server_name, run: () => agent.open({ tab_id: tab.id }) }];
}

function quickCommand({ t }: App, { show }: Workspace): Command {
  return { title: t('quick_connect'), hint: 'Ctrl+Shift+O', run: () => show({ kind: 'quick_connect' }) };
}

/** A quick connection to an address typed into the palette; the terminal prompts for credentials. */
export function quickCommands({ t }: App, { tabs }: Workspace, text: string): Command[] {
  const found = readDestination(text);
  const target = found && !found.jumps ? targetOf(found) : undefined;
  if (!target) return [];
  const name = formatTarget(target);
  return [{ title: t('quick_to', { name }), hint: t('quick_connect'), run: () => openQuick(tabs, target) }];
}

function settingCommand({ t }: App, { goTo }: Workspace, { key }: Setting): Command {
  return {
    title: t.optional(`setting_${key}`) ?? key,
    hint: t('settings'),
    run: () => goTo(`/admin/settings?key=${encodeURIComponent(key)}`),
  };
}

function actionCommands(
  { t, session, preferences }: App,
  { show, tabs, goTo, signOut }: Workspace,
  is_read_only: boolean,
): Command[] {
  const hint = t('action');
  const actions: Command[] = [
    { title: t('next_tab'), hint: 'Alt+PgDn', run: () => tabs.step(1) },
    { title: t('previous_tab'), hint: 'Alt+PgUp', run: () => tabs.step(-1) },
    { title: t('toggle_rail'), hint, run: () => preferences.set('rail_open', !preferences.values.rail_open) },
    ...THEMES.map((theme) => ({
      title: `${t('theme')}: ${t(`theme_${theme}`)}`,
      hint,
      run: () => preferences.set('theme', theme),
    })),
    ...LANGUAGES.map(({ code, name }) => ({
      title: `${t('language')}: ${name}`,
      hint,
      run: () => preferences.set('language', code),
    })),
    { title: t('font_larger'), hint: 'Ctrl++', run: () => preferences.zoom(1) },
    { title: t('font_smaller'), hint: 'Ctrl+-', run: () => preferences.zoom(-1) },
    { title: t('keyboard'), hint, run: () => show({ kind: 'keyboard' }) },
    ...ACCOUNT_SECTIONS.map(({ id, label }) => ({
      title: t(label),
      hint: t('account'),
      run: () => goTo(`/account/${id}`),
    })),
    { title: t('sign_out'), hint, run: signOut },
  ];
  if (!session.user()?.is_admin) return actions;
  return [
    ...ADMIN_SECTIONS.map(({ id, label }) => ({
      title: t(label),
      hint: t('administration'),
      run: () => goTo(`/admin/${id}`),
    })),
    ...(is_read_only ? [] : registryCommands(t, show)),
    ...actions,
  ];
}

function registryCommands(t: App['t'], show: Workspace['show']): Command[] {
  const hint = t('servers');
  return [
    {
      title: t('add_server'),
      hint,
      also: t('palette_create'),
      run: () => show({ kind: 'server_form', server: undefined }),
    },
    { title: t('import_servers'), hint, run: () => show({ kind: 'import_servers' }) },
    { title: t('import_host_keys'), hint, run: () => show({ kind: 'import_host_keys' }) },
    { title: t('export_servers'), hint, run: () => show({ kind: 'export_servers' }) },
  ];
}
