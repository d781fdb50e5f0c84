import type { Tab } from '../../workspace/tabs/tabs.ts';
import type { OpenFile } from '../open-file.ts';
import type { FileKind } from './kind.ts';

export interface ViewerProps {
  readonly tab: Tab;
  readonly files: OpenFile;
  readonly path: string;
  /** It need not exist: its first save creates it. */
  readonly is_new: boolean;
  /** The tab is in front and shows no other dialog. */
  readonly active: boolean;
}

export interface KindProps extends ViewerProps {
  /** Shows the same file in another viewer. */
  readonly onKind: (kind: FileKind) => void;
}
