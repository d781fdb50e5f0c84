import { utf8 } from '../../lib/bytes.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { ScreenStep, Screens } from '../../ports/screens.ts';
import type { PtySize } from '../../ports/ssh.ts';
import type { History } from './history.ts';

const GIVEN_UP_MS = 60_000; // what could not be drawn once would cost everybody the same time again
const MOST_BYTES = 2 * 1024 * 1024; // a thousand columns and rows in a new colour each would be more
// Out of an alternate screen, modes and colours as at the start, and nothing on it.
const BLANK = utf8('\x1b[?1049l\x1b[!p\x1b[0m\x1b[H\x1b[2J');

export interface DrawnScreen {
  /** Of the output, where it was drawn. */
  readonly offset: number;
  readonly size: PtySize;
  readonly screen: Uint8Array;
  /** It could not be drawn. */
  readonly is_blank: boolean;
}

/** The present screen of one session: one is drawn at a time, and all who come before the next one begins share it. */
export function createPresentScreen({
  screens,
  history,
  clock,
  user_id,
  scrollback,
}: {
  readonly screens: Screens;
  readonly history: History;
  readonly clock: Clock;
  /** Whose terminal it is. */
  readonly user_id: number;
  /** With what has scrolled off. */
  readonly scrollback: boolean;
}): () => Promise<DrawnScreen> {
  let before: Promise<unknown> = Promise.resolve();
  let waiting: Promise<DrawnScreen> | undefined;
  let given_up_ms = Number.NEGATIVE_INFINITY;
  const now_ms = () => clock.elapsed_ms();
  const here = () => ({ offset: history.end(), size: history.size() });

  /** What has scrolled off is left out rather than the screen. */
  async function render(take: () => readonly ScreenStep[]): Promise<Uint8Array> {
    if (!scrollback) return screens.render(user_id, take, { scrollback });
    return screens
      .render(user_id, take, { scrollback })
      .catch(() => screens.render(user_id, take, { scrollback: false }));
  }

  async function draw(): Promise<DrawnScreen> {
    let drawn: ReturnType<typeof here> | undefined;
    const take = () => {
      waiting = undefined; // whoever comes now sees more than this
      drawn = here();
      return history.steps();
    };
    try {
      if (now_ms() - given_up_ms < GIVEN_UP_MS) return { ...here(), screen: BLANK, is_blank: true };
      const screen = await render(take);
      if (screen.length > MOST_BYTES)
        throw new RangeError('The screen is larger than what is kept of the output');
      return { ...(drawn ?? here()), screen, is_blank: false };
    } catch {
      given_up_ms = now_ms(); // what a host has sent lately is no reason to keep its terminal from anybody
      return { ...here(), screen: BLANK, is_blank: true };
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
