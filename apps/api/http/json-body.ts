import { bodyLimit } from 'hono/body-limit';
import { Fault } from '#core/errors.ts';
import { createGiveWay } from '#core/lib/concurrency/give-way.ts';
import { createKeyedLimiter, createLimiter } from '#core/lib/concurrency/limiter.ts';
import { excessOf } from '#core/lib/text/json-shape.ts';
import { withDeadline } from '#core/lib/time/deadline.ts';
import type { After } from '#core/lib/time/timers.ts';
import type { AppRoute } from '../contract/app-route.ts';
import type { Arrivals } from './arrivals.ts';
import type { AppContext, AppMiddleware, Runtime } from './env.ts';
import { invalidJson } from './refuse.ts';

const MIB = 1024 * 1024;
const KIB = 1024;
const PUBLIC_KIB = 8; // a sign-in has no longer body
const ARRIVAL_MS = 30_000; // enough for a few megabytes; a stalled body holds memory

/** Refuses a body that declares too great a length without reading it; the server drains it and keeps the connection. */
export function limitJson(
  { 'x-body-limit': limit_mib = 1, 'x-access': access }: Pick<AppRoute, 'x-body-limit' | 'x-access'>,
  { after, arrivals }: { readonly after: After; readonly arrivals: Arrivals },
): AppMiddleware {
  const is_public = access === 'public';
  const most_bytes = is_public ? PUBLIC_KIB * KIB : limit_mib * MIB;
  const limit = is_public ? `${PUBLIC_KIB} KiB` : `${limit_mib} MiB`;
  const tooLarge = () => new Fault('body_too_large', `The request body is larger than ${limit}`);
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
    const own_bytes = declared_bytes ?? most_bytes;
    const is_large = own_bytes > MIB;
    const take = async () => {
      const read = limitStream(c, async () => void (await c.req.text())); // Hono keeps it for the validator
      await inTime(c, after, is_large ? read : arrivals[is_public ? 'open' : 'signed_in'](own_bytes, read));
      await next();
    };
    return is_large ? inTurn(c, take) : take();
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

const DEPTH = 64;
const VALUES = 50_000; // each costs a hundred bytes, and an error if it is wrong
const VALUES_OF_LARGE = 250_000; // 5,000 imported servers

/** Refuses deeply nested JSON before it is parsed, and parses large bodies beside the event loop. */
export function parseJson(
  { 'x-body-limit': limit_mib = 1 }: Pick<AppRoute, 'x-body-limit'>,
  { parseJson: parseBeside }: Pick<Runtime, 'parseJson'>,
): AppMiddleware {
  const values = limit_mib > 1 ? VALUES_OF_LARGE : VALUES;
  return async function parseBody(c, next) {
    const text = await c.req.text();
    const excess = await excessOf(text, { depth: DEPTH, values }, createGiveWay());
    if (excess === 'depth')
      throw new Fault('validation', `The body is nested more than ${DEPTH} levels deep`);
    if (excess === 'values') throw new Fault('validation', `The body has more than ${values} values`);
    if (text.length > MIB) {
      const parsed = await parseBeside(text);
      if (!parsed) throw invalidJson();
      Object.assign(c.req, { json: async () => parsed.value });
    }
    await next();
  };
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
