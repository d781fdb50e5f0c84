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
  /** The tooltip of a link. */
  linkHint(): string;
  /** The user dragged as if to select, but the program takes the mouse. */
  draggedInProgram(): void;
  /** The title set by a program. */
  titled(title: string): void;
  /** The shell's current directory, if it reports that; undefined on another host. */
  located(path: string | undefined): void;
  /** Whether the shared size makes the font too small to read. */
  small(is_small: boolean): void;
  /** A program wants to copy this to the clipboard. */
  clipboardWritten(text: string): void;
  /** A program wants to read the clipboard. */
  clipboardAsked(): void;
  /** No shell receives input: Tab leaves the terminal and Enter opens a new shell. */
  ended(): boolean;
  openAgain(): void;
}
