import { Fault } from '#core/errors.ts';
import { createKeyedLimiter, createLimiter } from '#core/lib/concurrency/limiter.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { ScreenStep, Screens } from '#core/ports/screens.ts';
import { createThreads, type Threads } from '../threads/threads.ts';
import type { ScreenVerbs } from './screen-verbs.ts';

const ENTRY = new URL('./screen-thread.mjs', import.meta.url); // next to the bundle as well
const RENDER_MS = 2000; // 100 ms is typical; others wait
const IDLE_MS = 60_000;

export interface ThreadScreens extends Screens {
  stop(): Promise<void>;
}

/**
 * Draws one screen at a time in a thread of its own, so that a slow one cannot block the gateway, and queues per user, so
 * that nobody waits behind a user who requests many.
 */
export function createScreens({
  clock,
  threads = createThreads<ScreenVerbs>({ entry: ENTRY, clock, silence_ms: RENDER_MS, idle_ms: IDLE_MS }),
}: {
  readonly clock: Clock;
  readonly threads?: Threads<ScreenVerbs>;
}): ThreadScreens {
  const limitedByUser = createKeyedLimiter(1);
  const limited = createLimiter(1);
  async function render(steps: readonly ScreenStep[], scrollback: boolean): Promise<Uint8Array> {
    const { buffer, steps: told } = toOrder(steps);
    try {
      const drawn = await threads.get().call('render', { steps: told, buffer, scrollback }, [buffer]);
      return new Uint8Array(drawn.buffer);
    } catch (cause) {
      throw new Fault('internal', 'The screen cannot be drawn', { cause });
    }
  }
  return {
    render: (user_id, take, { scrollback }) =>
      limitedByUser(String(user_id), () => limited(() => render(take(), scrollback))),
    stop: () => threads.stop(),
  };
}

/** Copies all outputs into one transferable buffer. */
function toOrder(steps: readonly ScreenStep[]) {
  const outputs = steps.flatMap((step) => (step.kind === 'output' ? [step.bytes] : []));
  const bytes = new Uint8Array(outputs.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const output of outputs) {
    bytes.set(output, at);
    at += output.length;
  }
  const told = steps.map((step) =>
    step.kind === 'size'
      ? { size: step.size, by_guest: step.by_guest === true }
      : { bytes: step.bytes.length },
  );
  return { steps: told, buffer: bytes.buffer };
}
