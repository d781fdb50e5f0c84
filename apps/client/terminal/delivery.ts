import type { Ending } from './ending.ts';
import type { LinkEvents } from './events.ts';
import { createInputLog } from './input.ts';
import type { Pulse } from './pulse.ts';
import { createUnread } from './unread.ts';

const ASK_TAKEN_MS = 1000; // after input, so that it need not be kept

/** Brings input to the shell over a series of sockets, and knows how much the shell has perhaps not been given. */
export interface Delivery {
  /** Sends input, or keeps it for the next socket: false if too much waits already. */
  add(bytes: Uint8Array): boolean;
  /** The socket takes input from now on. */
  begin(): void;
  /** The gateway has confirmed the session: continues where its shell has the input. */
  resume(count: number | undefined): void;
  /** The shell has been given this much, as the gateway counts; undefined if it does not count. */
  taken(count: number | undefined): void;
  /** Reports what no shell will ever be given. */
  giveUp(ending?: Ending): void;
  stop(): void;
}

interface Options {
  readonly socket: () => { isOpen(): boolean; input(frame: Uint8Array<ArrayBuffer>): void } | undefined;
  /** Whether the gateway has confirmed the session. */
  readonly hasShell: () => boolean;
  readonly pulse: Pick<Pulse, 'ping' | 'typed'>;
  readonly lost: NonNullable<LinkEvents['input_lost']>;
  readonly unread: NonNullable<LinkEvents['unread']>;
}

export function createDelivery({ socket, hasShell, pulse, lost, unread }: Options): Delivery {
  const log = createInputLog();
  const waiting = createUnread(unread);
  let asking: ReturnType<typeof setTimeout> | undefined;
  let takes_input = false;
  let is_repeating = false; // input of a lost socket was sent again, and nobody knows yet whether it was taken

  function send(): void {
    const frames = log.take();
    if (frames.length === 0) return;
    for (const frame of frames) socket()?.input(frame);
    if (!hasShell()) return;
    pulse.typed();
    askSoon();
  }

  function askSoon(): void {
    asking ??= setTimeout(() => {
      asking = undefined;
      if (log.untaken() > 0) pulse.ping();
    }, ASK_TAKEN_MS);
  }

  return {
    add(bytes) {
      const is_connected = takes_input && socket()?.isOpen() === true;
      const is_kept = log.add(bytes, is_connected);
      if (is_kept && is_connected) send();
      return is_kept;
    },

    begin() {
      takes_input = true;
      send();
    },

    resume(count) {
      const untaken = log.untaken();
      if (!hasShell()) log.begin(count ?? 0);
      else if (log.resume(count)) is_repeating = log.waiting() > 0;
      else lost({ bytes: untaken, is_certain: false });
    },

    taken(count) {
      if (count === undefined) log.forgetSent();
      else log.taken(count);
      waiting.told({ taken: count ?? 0, waiting: log.untaken() });
      if (log.untaken() === 0) is_repeating = false;
      else askSoon(); // the host takes it slowly
    },

    giveUp(ending) {
      // A shell that ends by itself has read what it wanted, but not what was sent again after its end.
      const is_own_end = ending?.kind === 'exit' && !is_repeating;
      const untaken = is_own_end ? 0 : log.untaken();
      const bytes = log.waiting() + untaken;
      log.clear();
      if (bytes > 0) lost({ bytes, is_certain: !hasShell() || untaken === 0 });
    },

    stop() {
      takes_input = false;
      waiting.stop();
      clearTimeout(asking);
      asking = undefined;
    },
  };
}
