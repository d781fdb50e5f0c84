import type { Duplex } from 'node:stream';
import { abortable } from '#core/lib/time/deadline.ts';
import type { Clock } from '#core/ports/runtime.ts';
import { type Attempt, offTheClock } from '../attempt.ts';
import { closedFault, type Greeting } from '../faults.ts';

/** Waits for one of the handshake slots; the returned function releases it. */
export type AcquireSlot = (signal: AbortSignal) => Promise<() => void>;

const FIRST_BYTE_MS = 1000; // some servers wait for our identification first
const SLOT_MS = 500; // a slow peer costs no CPU time, so its slot is released

export interface SlotOptions {
  readonly acquire: AcquireSlot;
  readonly clock: Clock;
}

/** Waits for the first byte of the peer before it takes a slot; the wait for the slot does not count against the deadline. */
export async function withHandshakeSlot<T>(
  stream: Duplex,
  attempt: Attempt,
  { acquire: place, clock, work }: SlotOptions & { readonly work: () => Promise<T> },
): Promise<T> {
  const release = await acquireWhenReady(stream, attempt, { acquire: place, clock });
  const cancel = clock.after(SLOT_MS, release);
  try {
    return await work();
  } finally {
    cancel();
    release();
  }
}

async function acquireWhenReady(
  stream: Duplex,
  attempt: Attempt,
  { acquire: place, clock }: SlotOptions,
): Promise<() => void> {
  let broken: { readonly cause: unknown } | undefined;
  const onError = (cause: unknown) => {
    broken ??= { cause };
  };
  const onClose = () => onError(undefined);
  stream.on('error', onError).on('close', onClose);
  try {
    await firstByte(stream, attempt, clock);
    const release = once(await offTheClock(attempt, () => place(attempt.signal)));
    if (!broken && !attempt.signal.aborted) return release;
    release();
    attempt.signal.throwIfAborted();
    throw closedFault(attempt, NO_GREETING, broken?.cause);
  } finally {
    stream.off('error', onError).off('close', onClose);
  }
}

const NO_GREETING: Greeting = { said: () => '', ident: () => undefined, offers: () => undefined };

function firstByte(stream: Duplex, attempt: Attempt, clock: Clock): Promise<void> {
  return abortable<void>(attempt.signal, (resolve) => {
    const done = () => {
      cancel();
      stream.off('readable', done).off('close', done);
      resolve();
    };
    const cancel = clock.after(FIRST_BYTE_MS, done);
    stream.on('readable', done).on('close', done);
    return done;
  });
}

function once(run: () => void): () => void {
  let is_done = false;
  return () => {
    if (is_done) return;
    is_done = true;
    run();
  };
}
