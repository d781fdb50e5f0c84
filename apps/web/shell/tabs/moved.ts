import { afterMove, isWithin } from '../../lib/paths.ts';
import type { Tabs } from './tabs.ts';

export interface FileMove {
  readonly server_id: number;
  readonly from: string;
  readonly to: string;
}

/** File tabs follow their file, also if a directory above it is moved. */
export function moveFileTabs({ list, setPath }: Pick<Tabs, 'list' | 'setPath'>, move: FileMove): void {
  const { server_id, from, to } = move;
  for (const tab of list)
    if (tab.kind === 'file' && tab.server_id === server_id && isWithin(tab.path, from))
      setPath(tab.id, afterMove(tab.path, from, to));
}
