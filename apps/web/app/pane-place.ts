import type { Terminal } from '@xterm/xterm';

/** How a pane is drawn in another site's page. */
export interface PanePlace {
  /** Creates the elements of the pane. */
  readonly document: Document;
  /** Opens the terminal with `work`. */
  open(terminal: Terminal, work: () => void): void;
}
