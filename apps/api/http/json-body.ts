import { bodyLimit } from 'hono/body-limit';
import { Fault } from '#core/errors.ts';
import { withDeadline } from '#core/lib/deadline.ts';
import { createKeyedLimiter, createLimiter } from '#core/lib/limiter.ts';
import type { After } from '#core/lib/timers.ts';
import type { AppRoute } from '../contract/app-route.ts';
import type { AppContext, AppMiddleware } from './env.ts';

const MIB = 1024 * 1024;
const ARRIVAL_MS = 30_000; // enough for a few megabytes; a stalled body holds memory

/** Refuses a body that declares too great a length without reading it; the server drains it and keeps the connection. */
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
  const inTurn = createLargeBodyLimiter();
  return async function limitBody(c, next) {
    const declared_bytes = declaredLength(c);
    if (declared_bytes !== undefined && declared_bytes > most_bytes) throw tooLarge();
    const take = async () => {
      const read = limitStream(c, async () => undefined); // for chunked bodies
      await inTime(c, after, read);
      await next();
    };
    return Math.min(declared_bytes ?? most_bytes, most_bytes) > MIB ? inTurn(c, take) : take();
  };
}

function declaredLength(c: AppContext): number | undefined {
  const length = c.req.header('content-length');
  return length === undefined ? undefined : Number(length);
}

const LARGE_AT_ONCE = 8; // each costs several times its size while it is processed
const LARGE_OF_ONE_USER = 2;
const LARGE_WAITING = 100;

/** Queues large bodies, first per user and then overall, so that one user cannot take every slot. */
function createLargeBodyLimiter(): (c: AppContext, work: () => Promise<void>) => Promise<void> {
  const waiting_limit = {
    max_waiting: LARGE_WAITING,
    tooMany: () => new Fault('overloaded', 'Too many large requests at once'),
  };
  const ofUser = createKeyedLimiter(LARGE_OF_ONE_USER, waiting_limit);
  const ofAll = createLimiter(LARGE_AT_ONCE, waiting_limit);
  return (c, work) => ofUser(String(c.var.caller.user_id), () => ofAll(work));
}

/** Reads the whole body; Hono caches it for the validator. */
export async function awaitBody(c: AppContext, after: After): Promise<void> {
  await inTime(c, after, c.req.text());
}

/** On failure the connection is closed, since the rest of the body is still arriving on it. */
async function inTime(c: AppContext, after: After, arrival: Promise<unknown>): Promise<void> {
  try {
    await withDeadline(arrival, { after, ms: ARRIVAL_MS, error: () => new Fault('body_timeout') });
  } catch (cause) {
    c.header('Connection', 'close');
    throw cause instanceof Fault ? cause : new Fault('validation', 'The request body was cut off', { cause });
  }
}
