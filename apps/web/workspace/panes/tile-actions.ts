import type { TextKey } from '../../i18n/languages.ts';
import type { Panes } from './panes.ts';

interface TileAction {
  readonly label: TextKey;
  run(): void;
}

/** Side by side, and back. None on a narrow page, and only what changes something. */
export function tileActions(panes: Panes): readonly TileAction[] {
  return [
    ...(panes.can_tile() ? [{ label: 'panes_tile', run: panes.tile } as const] : []),
    ...(panes.is_split() ? [{ label: 'panes_untile', run: panes.untile } as const] : []),
  ];
}
