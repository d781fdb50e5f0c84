import type { TerminalSize } from '#client/terminal/target.ts';
import type { Found } from '../search/pane-search.ts';

export interface PaneEvents {
  input(data: string | Uint8Array): void;
  resize(size: TerminalSize): void;
  paste(text: string): void;
  pasteFromClipboard(): void;
  pastesBySecondButton(): boolean;
  zoom(step: 1 | -1 | 0): void;
  copyOnSelect(): boolean;
  search(): void;
  found(found: Found): void;
  bell(): void;
  /** What a program calls the terminal. */
  titled(title: string): void;
  /** Whether the size that others decide on makes the letters too small to be read. */
  small(is_small: boolean): void;
  /** A program wants to put this into the clipboard. */
  clipboardWritten(text: string): void;
  /** A program wants to know what is in the clipboard. */
  clipboardAsked(): void;
  /** No shell takes the keys: Tab leaves, Enter opens again. */
  ended(): boolean;
  openAgain(): void;
}
