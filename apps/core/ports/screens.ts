import type { PtySize } from './ssh.ts';

/** Output and resizes of a terminal, in order. */
export type ScreenStep =
  /** For a size chosen by a guest, rows that have scrolled off do not come back unless the scrollback is requested. */
  | { readonly kind: 'size'; readonly size: PtySize; readonly by_guest?: boolean }
  | { readonly kind: 'output'; readonly bytes: Uint8Array };

/** Turns a terminal's latest output into a sequence that redraws its current screen. */
export interface Screens {
  /**
   * Renders one terminal per user at a time; `take` is called when the render starts, and its steps begin with a size.
   * The result clears the screen and redraws it with cursor and modes, after the scrollback if requested. Rejects on
   * timeout.
   */
  render(
    user_id: number,
    take: () => readonly ScreenStep[],
    options: { readonly scrollback: boolean },
  ): Promise<Uint8Array>;
}
