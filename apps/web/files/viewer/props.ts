import type { Tab } from '../../shell/tabs/tabs.ts';
import type { FileTab } from '../file-tab.ts';
import type { FileKind } from './kind.ts';

export interface ViewerProps {
  readonly tab: Tab;
  readonly files: FileTab;
  readonly path: string;
  /** A new file, created when it is saved. */
  readonly is_new: boolean;
  /** The tab is in front and shows no other dialog. */
  readonly active: boolean;
}

export interface KindProps extends ViewerProps {
  /** Shows the same file in another viewer. */
  readonly onKind: (kind: FileKind) => void;
}
