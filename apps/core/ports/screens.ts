import type { PtySize } from './ssh.ts';

/** What a terminal was told, in order. */
export type ScreenStep =
  | { readonly kind: 'size'; readonly size: PtySize }
  | { readonly kind: 'output'; readonly bytes: Uint8Array };

/** Makes of a terminal's latest output what draws its present screen on any other. */
export interface Screens {
  /**
   * Of one user's terminals one at a time. `take` is called when its turn has come; what it gives begins with a size. The result clears the screen, then draws
   * it, cursor and modes included; before it what has scrolled off, if wanted. Rejects when that takes too long.
   */
  render(
    user_id: number,
    take: () => readonly ScreenStep[],
    options: { readonly scrollback: boolean },
  ): Promise<Uint8Array>;
}
