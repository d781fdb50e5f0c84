import type { TextKey } from '../../i18n/languages.ts';
import type { Panes } from './panes.ts';

export interface SplitAction {
  readonly label: TextKey;
  readonly hint: string;
  /** Why it is disabled. */
  readonly why: TextKey | undefined;
  run(): void;
}

const EDGES = [
  { edge: 'right', another: 'panes_split_right', moved: 'panes_move_right', hint: 'Ctrl+Shift+E' },
  { edge: 'bottom', another: 'panes_split_down', moved: 'panes_move_down', hint: 'Ctrl+Shift+D' },
] as const;

/** To the right and down: opens another tab like this one, or moves what can be open only once. None on a narrow page. */
export function splitActions(panes: Panes, tab_id: string): readonly SplitAction[] {
  const way = panes.splitWay(tab_id);
  if (way === undefined) return [];
  return EDGES.map(({ edge, another, moved, hint }) => ({
    label: way === 'another' ? another : moved,
    hint,
    why: way === 'alone' ? 'panes_why_alone' : undefined,
    run: () => panes.split(edge, tab_id),
  }));
}
