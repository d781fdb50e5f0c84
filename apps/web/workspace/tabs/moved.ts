import { afterMove, isWithin } from '../../lib/paths.ts';
import { sameTab, type Tab, type TabPlace, type Tabs } from './tabs.ts';

export interface FileMove {
  readonly server_id: number;
  readonly from: string;
  readonly to: string;
}

/**
 * Files and comparisons follow their files, also if a directory above them is moved. A tab whose new path is open already
 * stays, because both would keep their unsaved text in one place.
 */
export function moveFileTabs(tabs: Pick<Tabs, 'list' | 'follow'>, move: FileMove): void {
  for (const tab of tabs.list.filter(({ kind }) => kind === 'file' || kind === 'comparison')) {
    const next = movedTab(tab, move);
    if (next && !sameTab(tabs.list, { ...tab, ...next })) tabs.follow(tab.id, next);
  }
}

/** Undefined if nothing in it has moved. */
function movedTab(tab: Tab, move: FileMove): Pick<Tab, 'path' | 'other'> | undefined {
  const path = movedPath(tab, move);
  const other_path = tab.other && movedPath(tab.other, move);
  if (path === undefined && other_path === undefined) return undefined;
  return {
    path: path ?? tab.path,
    ...(tab.other ? { other: { ...tab.other, path: other_path ?? tab.other.path } } : {}),
  };
}

function movedPath({ server_id, path }: TabPlace, { from, to, ...move }: FileMove): string | undefined {
  return server_id === move.server_id && isWithin(path, from) ? afterMove(path, from, to) : undefined;
}
