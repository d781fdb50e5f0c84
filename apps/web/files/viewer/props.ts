import type { Tab } from '../../shell/tabs/tabs.ts';
import type { FileTab } from '../file-tab.ts';
import type { FileKind } from './kind.ts';

export interface ViewerProps {
  readonly tab: Tab;
  readonly files: FileTab;
  readonly path: string;
  /** It is not there yet: saving makes it. */
  readonly is_new: boolean;
  /** The tab is in front, and nothing else is asked for in it. */
  readonly active: boolean;
}

export interface KindProps extends ViewerProps {
  /** Shows the same file as something else. */
  readonly onKind: (kind: FileKind) => void;
}
