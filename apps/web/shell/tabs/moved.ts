import { afterMove, isWithin } from '../../lib/paths.ts';
import type { Tabs } from './tabs.ts';

export interface FileMove {
  readonly server_id: number;
  readonly from: string;
  readonly to: string;
}

/**
 * File tabs follow their file, also if a directory above it is moved. A tab whose new path is open already stays, because
 * both would keep their unsaved text in one place.
 */
export function moveFileTabs({ list, setPath }: Pick<Tabs, 'list' | 'setPath'>, move: FileMove): void {
  const { server_id, from, to } = move;
  const files = list.filter((tab) => tab.kind === 'file' && tab.server_id === server_id);
  for (const tab of files.filter(({ path }) => isWithin(path, from))) {
    const path = afterMove(tab.path, from, to);
    if (!files.some((other) => other.path === path)) setPath(tab.id, path);
  }
}
