import type { App } from '../../app/context.ts';
import type { Command } from '../../workspace/commands/command.ts';
import { COMMAND_GROUPS, type Feature } from '../../workspace/features.ts';
import { splitActions } from '../../workspace/panes/split-actions.ts';
import { tileActions } from '../../workspace/panes/tile-actions.ts';
import { labelOf, type Tab } from '../../workspace/tabs/tabs.ts';
import type { Workspace } from '../../workspace/workspace.ts';

export interface AllCommands {
  list(): readonly Command[];
  /** What features make of a typed text, such as an address. */
  typed(text: string): readonly Command[];
  /** Searches for a typed text in other places, which come last. */
  searches(text: string): readonly Command[];
}

/** The commands that are not about one server: those of the tabs, and those of the features in their groups. */
export function createCommands(app: App, workspace: Workspace, features: readonly Feature[]): AllCommands {
  const offers = features.flatMap(({ createCommands: create }) => (create ? [create()] : []));
  return {
    list: () => [
      ...tabCommands(app, workspace),
      ...workspace.commands.of(workspace.tabs.active()?.id ?? ''),
      ...COMMAND_GROUPS.flatMap((group) => offers.flatMap((offer) => offer[group]?.() ?? [])),
    ],
    typed: (text) => offers.flatMap((offer) => offer.typed?.(text) ?? []),
    searches: (text) =>
      text.trim() === '' ? [] : offers.flatMap((offer) => offer.searches?.(text.trim()) ?? []),
  };
}

function tabCommands({ t }: App, { tabs, panes, statuses, show }: Workspace): Command[] {
  const switches = tabs.list
    .filter((tab) => tab.id !== tabs.active()?.id)
    .map((tab) => ({
      title: t('switch_to', { name: labelOf(tab, tabs.list) }),
      hint: t(`tab_kind_${tab.kind}`),
      also: [t('also_switch_to'), tab.server_name, tab.path].join(', '),
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
    ...tileActions(panes).map(({ label, run }) => ({ title: t(label), hint: t('tab'), run })),
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
