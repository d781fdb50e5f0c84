import { randomToken } from '#core/lib/bytes/bytes.ts';
import { pause, untilAborted, withDeadline } from '#core/lib/time/deadline.ts';
import { systemAfter } from '#core/lib/time/timers.ts';
import type { Ears, Listening } from '#core/ports/notices.ts';
import { NoAnswer } from './driver-errors.ts';

const KEEP_ALIVE_MS = 20_000;
const ANSWER_MS = 5000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;
const UNSUPPORTED_PAUSE_MS = 60_000; // a pooler rarely changes its mode

/** A connection of its own, on which notices arrive. */
export interface NoticeLink {
  /** Resolves when the database has accepted the listener. */
  listen(): Promise<void>;
  end(): void;
}

interface Watch {
  notified(text: string): void;
  /** The connection was lost. */
  closed(): void;
}

export interface NoticePorts {
  connect(watch: Watch): NoticeLink;
  /** Sends a notice over another connection. */
  send(text: string): Promise<void>;
}

/** Listens until it is stopped, and again after each loss. */
export function listenForNotices(ports: NoticePorts, ears: Ears): Listening {
  const stopped = new AbortController();
  const { signal } = stopped;

  async function listen(): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      const outcome = await listenOnce(ports, ears, signal);
      if (signal.aborted) return;
      failures = outcome === 'failed' ? failures + 1 : 0;
      ears.ended(outcome === 'unsupported' ? 'unsupported' : 'lost');
      await pause(systemAfter, pauseAfter(outcome, failures), signal);
    }
  }

  const listening = listen();
  return {
    async stop() {
      stopped.abort();
      await listening;
    },
  };
}

type Outcome = 'heard' | 'failed' | 'unsupported';

function pauseAfter(outcome: Outcome, failures: number): number {
  if (outcome === 'unsupported') return UNSUPPORTED_PAUSE_MS;
  return Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
}

/** Until the connection is lost or passes nothing on; `heard` if it did so before. */
async function listenOnce({ connect, send }: NoticePorts, ears: Ears, signal: AbortSignal): Promise<Outcome> {
  const own = `echo ${randomToken(16)}`;
  const lost = new AbortController();
  let echoed = () => {};
  const link = connect({
    notified: (text) => (text === own ? echoed() : ears.hear(text)),
    closed: () => lost.abort(),
  });
  const over = AbortSignal.any([signal, lost.signal]);

  /** Sends over another connection: a pooler that shares connections would not bring it here. */
  async function hasEcho(): Promise<boolean> {
    const echo = new Promise<void>((resolve) => {
      echoed = resolve;
    });
    await send(own);
    return inTime(echo).then(
      () => true,
      () => false,
    );
  }

  const inTime = <T>(work: Promise<T>) =>
    withDeadline(untilAborted(over, work), {
      after: systemAfter,
      ms: ANSWER_MS,
      error: () => new NoAnswer(ANSWER_MS),
    });

  let outcome: 'heard' | 'failed' = 'failed';
  try {
    await inTime(link.listen());
    if (!(await hasEcho())) return over.aborted ? 'failed' : 'unsupported';
    outcome = 'heard';
    ears.began();
    do await pause(systemAfter, KEEP_ALIVE_MS, over);
    while (!over.aborted && (await hasEcho()));
  } catch {
    // The database is away; the caller tries again.
  } finally {
    link.end();
  }
  return outcome;
}
