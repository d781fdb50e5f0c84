import type { App } from './app-context.ts';
import { THEMES } from './preferences.ts';
import { ACCOUNT_SECTIONS, ADMIN_SECTIONS } from './sections.ts';
import type { Server } from './servers.ts';
import { labelOf } from './tabs.ts';
import type { Workspace } from './workspace.ts';

export interface Command {
  readonly title: string;
  readonly hint: string;
  /** The server that it acts on. */
  readonly name?: string;
  /** Of commands that match alike, the greater one comes first. */
  readonly weight?: number;
  run(): void;
}

/** What the palette offers: open tabs, servers, actions. */
export function createCommands(app: App, workspace: Workspace, servers: readonly Server[]): Command[] {
  return [
    ...tabCommands(app, workspace),
    ...servers.flatMap((server) => serverCommands(app, workspace, server)),
    ...actionCommands(app, workspace),
  ];
}

function tabCommands({ t }: App, { tabs, statuses }: Workspace): Command[] {
  const switches = tabs.list
    .filter((tab) => tab.id !== tabs.active()?.id)
    .map((tab) => ({
      title: t('switch_to', { name: labelOf(tab, tabs.list) }),
      hint: t(tab.kind === 'terminal' ? 'terminal' : 'files'),
      run: () => tabs.activate(tab.id),
    }));
  const active = tabs.active();
  if (!active) return switches;
  const openAgain = statuses[active.id]?.openAgain;
  return [
    ...(openAgain ? [{ title: t('open_again'), hint: labelOf(active, tabs.list), run: openAgain }] : []),
    ...switches,
    { title: t('close_tab'), hint: t('tab'), run: () => tabs.close(active.id) },
  ];
}

function serverCommands({ t, session }: App, { tabs, show }: Workspace, server: Server): Command[] {
  const { id: server_id, name } = server;
  const commands: Command[] = [];
  const add = (title: string, weight: number, run: () => void) =>
    commands.push({ title, hint: server.hostname, name, weight, run });
  const open = (kind: 'terminal' | 'files') => () => tabs.open({ kind, server_id, server_name: name });
  if (server.ssh_enabled) add(t('open_terminal', { name }), 4, open('terminal'));
  if (server.sftp_enabled) add(t('open_files', { name }), 3, open('files'));
  add(t('test_of', { name }), 2, () => show({ kind: 'test', server }));
  if (session.user()?.is_admin) add(t('edit_of', { name }), 1, () => show({ kind: 'server_form', server }));
  return commands;
}

function actionCommands({ t, session, preferences }: App, { show, tabs, goTo }: Workspace): Command[] {
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
    { title: t('keyboard'), hint, run: () => show({ kind: 'keyboard' }) },
    ...ACCOUNT_SECTIONS.map(({ id, label }) => ({
      title: t(label),
      hint: t('account'),
      run: () => goTo(`/account/${id}`),
    })),
    { title: t('sign_out'), hint, run: () => void session.signOut() },
  ];
  if (!session.user()?.is_admin) return actions;
  return [
    ...ADMIN_SECTIONS.map(({ id, label }) => ({
      title: t(label),
      hint: t('administration'),
      run: () => goTo(`/admin/${id}`),
    })),
    { title: t('add_server'), hint, run: () => show({ kind: 'server_form', server: undefined }) },
    ...actions,
  ];
}
