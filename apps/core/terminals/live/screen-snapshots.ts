import { utf8 } from '../../lib/bytes/bytes.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { ScreenStep, Screens } from '../../ports/screens.ts';
import type { PtySize } from '../../ports/ssh.ts';
import type { History } from './history.ts';

const RETRY_AFTER_MS = 60_000; // after a failure, do not spend the same time again for the next member
const MOST_BYTES = 2 * 1024 * 1024; // a thousand columns and rows, each in a new color, would exceed this
// Leaves the alternate screen, resets modes and colors, and clears the screen.
const BLANK = utf8('\x1b[?1049l\x1b[!p\x1b[0m\x1b[H\x1b[2J');

export interface ScreenSnapshot {
  /** Offset in the output that the snapshot shows. */
  readonly offset: number;
  readonly size: PtySize;
  readonly screen: Uint8Array;
  /** The screen could not be drawn. */
  readonly is_blank: boolean;
}

/** Draws the current screen of one session, one at a time; requests that wait for the next one share it. */
export function createScreenSnapshots({
  screens,
  history,
  clock,
  user_id,
  scrollback,
}: {
  readonly screens: Screens;
  readonly history: History;
  readonly clock: Clock;
  /** The owner of the session. */
  readonly user_id: number;
  /** Include lines that have scrolled off. */
  readonly scrollback: boolean;
}): () => Promise<ScreenSnapshot> {
  let before: Promise<unknown> = Promise.resolve();
  let waiting: Promise<ScreenSnapshot> | undefined;
  let failed_ms = Number.NEGATIVE_INFINITY;
  const now_ms = () => clock.elapsed_ms();
  const current = () => ({ offset: history.end(), size: history.size() });

  /** Drops the scrollback when the screen cannot be drawn with it. */
  async function render(take: () => readonly ScreenStep[]): Promise<Uint8Array> {
    if (!scrollback) return screens.render(user_id, take, { scrollback });
    return screens
      .render(user_id, take, { scrollback })
      .catch(() => screens.render(user_id, take, { scrollback: false }));
  }

  async function draw(): Promise<ScreenSnapshot> {
    let drawn: ReturnType<typeof current> | undefined;
    const take = () => {
      waiting = undefined; // a later request needs a newer snapshot
      drawn = current();
      return history.steps();
    };
    try {
      if (now_ms() - failed_ms < RETRY_AFTER_MS) return { ...current(), screen: BLANK, is_blank: true };
      const screen = await render(take);
      if (screen.length > MOST_BYTES)
        throw new RangeError('The screen is larger than the output that is kept');
      return { ...(drawn ?? current()), screen, is_blank: false };
    } catch {
      failed_ms = now_ms(); // whatever the host sent, members can still attach
      return { ...current(), screen: BLANK, is_blank: true };
    } finally {
      if (!drawn) waiting = undefined;
    }
  }

  return () => {
    if (waiting) return waiting;
    const next = before.then(draw);
    waiting = next;
    before = next;
    return next;
  };
}
