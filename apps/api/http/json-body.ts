import { bodyLimit } from 'hono/body-limit';
import { Fault } from '#core/errors.ts';
import { withDeadline } from '#core/lib/deadline.ts';
import { createKeyedLimiter, createLimiter } from '#core/lib/limiter.ts';
import type { After } from '#core/lib/timers.ts';
import type { AppRoute } from '../contract/define.ts';
import type { AppContext, AppMiddleware } from './env.ts';

const MIB = 1024 * 1024;
const ARRIVAL_MS = 30_000; // what is held back costs memory, and nobody needs as long for a few megabytes

/** What says its length is refused unread, and the server drains it: the connection can serve the next request. */
export function limitJson(
  { 'x-body-limit': limit_mib = 1 }: Pick<AppRoute, 'x-body-limit'>,
  after: After,
): AppMiddleware {
  const most_bytes = limit_mib * MIB;
  const tooLarge = () => new Fault('body_too_large', `The request body is larger than ${limit_mib} MiB`);
  const limitStream = bodyLimit({
    maxSize: most_bytes,
    onError: () => {
      throw tooLarge();
    },
  });
  const inTurn = createLargeTurns();
  return async function limitBody(c, next) {
    const told_bytes = toldBytes(c);
    if (told_bytes !== undefined && told_bytes > most_bytes) throw tooLarge();
    const take = async () => {
      const read = limitStream(c, async () => undefined); // what comes in chunks
      await inTime(c, after, read);
      await next();
    };
    return Math.min(told_bytes ?? most_bytes, most_bytes) > MIB ? inTurn(c, take) : take();
  };
}

function toldBytes(c: AppContext): number | undefined {
  const told = c.req.header('content-length');
  return told === undefined ? undefined : Number(told);
}

const LARGE_AT_ONCE = 8; // each costs several times its size until it is worked off
const LARGE_OF_ONE_USER = 2;
const LARGE_WAITING = 100;

/** Large bodies wait for each other, and those of one user before all others. */
function createLargeTurns(): (c: AppContext, work: () => Promise<void>) => Promise<void> {
  const waiting_limit = {
    max_waiting: LARGE_WAITING,
    tooMany: () => new Fault('overloaded', 'Too many large requests at once'),
  };
  const ofUser = createKeyedLimiter(LARGE_OF_ONE_USER, waiting_limit);
  const ofAll = createLimiter(LARGE_AT_ONCE, waiting_limit);
  return (c, work) => ofUser(String(c.var.caller.user_id), () => ofAll(work));
}

/** Waits until the whole body is here; it is kept for the validator. */
export async function awaitBody(c: AppContext, after: After): Promise<void> {
  await inTime(c, after, c.req.text());
}

/** When it fails, the rest is still on its way: the connection is of no use any more. */
async function inTime(c: AppContext, after: After, arrival: Promise<unknown>): Promise<void> {
  try {
    await withDeadline(arrival, { after, ms: ARRIVAL_MS, error: () => new Fault('body_timeout') });
  } catch (cause) {
    c.header('Connection', 'close');
    throw cause instanceof Fault ? cause : new Fault('validation', 'The body was broken off', { cause });
  }
}
