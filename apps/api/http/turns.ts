import { Fault } from '#core/errors.ts';
import { joinSignals } from '#core/lib/concurrency/joined-signal.ts';
import { createKeyedSlots, type KeyedSlots } from '#core/lib/concurrency/limiter.ts';
import { startDeadline } from '#core/lib/time/deadline.ts';
import type { After } from '#core/lib/time/timers.ts';
import type { TurnKind } from '../contract/app-route.ts';
import type { AppContext, AppMiddleware, Runtime } from './env.ts';
import { goneSignal } from './gone-signal.ts';

const WAIT_MS = 60_000; // proxies give up after a minute
const RETRY_S = 5;

/** Requests of one user at once, and how many more may wait. */
const LIMITS = {
  body: { at_once: 16, waiting: 1000 }, // arriving, or in memory until it has a turn of another kind
  answer: { at_once: 16, waiting: 1000 },
  files: { at_once: 50, waiting: 1000 }, // most wait for their host
  transfer: { at_once: 100, waiting: 500 }, // share the buffers of all transfers
  stream: { at_once: 100, waiting: 0 }, // each holds a file or a page of rows
} as const;

/** The share of one embedded session: all visitors of a page may act for the same user. */
const EMBEDDED_SHARE = 1 / 4;

/** A request may first take a turn for its body, so that bodies that stall hold up only other bodies. */
export type AnyTurn = TurnKind | 'body';

/** Kinds that keep their turn until the client has the answer. */
const HELD: ReadonlySet<AnyTurn> = new Set(['transfer', 'stream']);

const UNREAD_MS = 30_000;
const WHOLE_MS = 5 * 60_000; // 25 MiB at 100 kB a second
const PAUSED_MS = 15 * 60_000; // a paused player requests the rest again

interface Options {
  readonly runtime: Pick<Runtime, 'onGone' | 'onAnswered'>;
  readonly after: After;
}

/** Runs the rest of a request when its user has a turn. */
export type TakeTurn = (c: AppContext, kind: AnyTurn, next: () => Promise<void>) => Promise<void>;

export function createTurns({ runtime, after }: Options): TakeTurn {
  const of_users = createSlotsOfKinds(1);
  const of_embeds = createSlotsOfKinds(EMBEDDED_SHARE);

  async function wait(c: AppContext, of_kind: KeyedSlots, key: string): Promise<Release> {
    const deadline = startDeadline({ after, ms: WAIT_MS, error: tooMany });
    const either = joinSignals(goneSignal(c, runtime), deadline.signal);
    try {
      return await of_kind.wait(key, either.signal);
    } finally {
      either.leave();
      deadline.cancel();
    }
  }

  async function enter(c: AppContext, of_kind: KeyedSlots | undefined, key: string): Promise<Release> {
    if (!of_kind) return () => undefined;
    return of_kind.enter(key) ?? (await wait(c, of_kind, key));
  }

  async function enterBoth(c: AppContext, kind: AnyTurn): Promise<Release> {
    const { user_id, bounds, credential } = c.var.caller;
    const leave = await enter(c, bounds && of_embeds.get(kind), String(credential.id));
    try {
      const release = await enter(c, of_users.get(kind), String(user_id));
      return () => {
        release();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  return async (c, kind, next) => {
    const release = await enterBoth(c, kind);
    c.var.leave_body?.();
    if (kind === 'body') c.set('leave_body', release);
    let is_held = false;
    try {
      await next();
      is_held = HELD.has(kind) && c.error === undefined;
    } finally {
      if (is_held) runtime.onAnswered(c, release);
      else release();
    }
  };
}

type Release = () => void;

function createSlotsOfKinds(share: number): ReadonlyMap<AnyTurn, KeyedSlots> {
  return new Map(
    Object.entries(LIMITS).map(([kind, { at_once, waiting }]) => [
      kind as AnyTurn,
      createKeyedSlots(Math.floor(at_once * share), { max_waiting: waiting, tooMany }),
    ]),
  );
}

function tooMany(): Fault {
  return new Fault('rate_limited', 'Too many requests of this user are in progress', {
    retry_after: RETRY_S,
  });
}

/** Bounds the time in which a client reads its answer, and what it leaves unread. */
export function boundAnswers(runtime: Pick<Runtime, 'boundUnread'>): AppMiddleware {
  return async function boundAnswer(c, next) {
    await next();
    const { turn = 'answer', caller, ip_address } = c.var;
    if (turn === 'answer' || turn === 'files') {
      const owner = caller ? `user ${caller.user_id}` : ip_address;
      runtime.boundUnread(c, { silence_ms: UNREAD_MS, whole_ms: WHOLE_MS, owner });
    } else runtime.boundUnread(c, { silence_ms: PAUSED_MS });
  };
}
