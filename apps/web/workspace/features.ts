import { type Component, createContext, type ParentProps, useContext } from 'solid-js';
import type { Command } from './commands/command.ts';
import type { PaneProps, Tab, TabKind } from './tabs/tabs.ts';
import type { WindowKind, WindowView, WindowViews } from './windows.ts';
import type { Screen } from './workspace.ts';

/** The groups of the command palette, in their order: the active tab, the page, what can be created, what is stored, choices, and the manual. */
export const COMMAND_GROUPS = ['tab', 'page', 'create', 'record', 'preference', 'setting', 'help'] as const;
type CommandGroup = (typeof COMMAND_GROUPS)[number];

export interface FeatureCommands extends Partial<Record<CommandGroup, () => readonly Command[]>> {
  /** For a text that means something to this feature, such as an address. */
  readonly typed?: (text: string) => readonly Command[];
  /** Searches for a text in places of this feature. */
  readonly searches?: (text: string) => readonly Command[];
}

/** What a feature adds to the page. What is large is loaded when it is first shown. */
export interface Feature {
  /** The content of tabs. */
  readonly views?: Readonly<Partial<Record<TabKind, Component<PaneProps>>>>;
  /** Dialogs. */
  readonly windows?: WindowViews;
  readonly screens?: Readonly<Partial<Record<Screen, Component>>>;
  /** Called in the palette each time it opens. */
  readonly createCommands?: () => FeatureCommands;
  /** Entries of a tab's menu. */
  readonly TabItems?: Component<{ readonly tab: Tab }>;
  /** A part of the status line. */
  readonly Status?: Component;
  /** State around everything in the workspace. */
  readonly Provider?: Component<ParentProps<{ readonly user_id: number }>>;
  /** Called once in the workspace. */
  readonly start?: () => void;
}

const Context = createContext<readonly Feature[]>([]);
export const FeaturesProvider = Context.Provider;

export function useFeatures(): readonly Feature[] {
  return useContext(Context);
}

export function viewOf(features: readonly Feature[], kind: TabKind): Component<PaneProps> | undefined {
  return features.find(({ views }) => views?.[kind])?.views?.[kind];
}

export function windowOf<K extends WindowKind>(
  features: readonly Feature[],
  kind: K,
): WindowView<K> | undefined {
  for (const { windows } of features) if (windows?.[kind]) return windows[kind];
  return undefined;
}
