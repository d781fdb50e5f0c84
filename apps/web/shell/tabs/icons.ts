import CirclePlay from 'lucide-solid/icons/circle-play';
import FileText from 'lucide-solid/icons/file-text';
import FolderOpen from 'lucide-solid/icons/folder-open';
import GitCompare from 'lucide-solid/icons/git-compare';
import SquareTerminal from 'lucide-solid/icons/square-terminal';
import type { TabKind } from '../../workspace/tabs/tabs.ts';

export const TAB_ICONS: Readonly<Record<TabKind, typeof FileText>> = {
  terminal: SquareTerminal,
  files: FolderOpen,
  file: FileText,
  comparison: GitCompare,
  recording: CirclePlay,
};
