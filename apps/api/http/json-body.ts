import { bodyLimit } from 'hono/body-limit';
import { Fault } from '#core/errors.ts';
import type { After } from '#core/lib/timers.ts';
import type { AppRoute } from '../contract/define.ts';
import type { AppContext, AppMiddleware } from './env.ts';

const MIB = 1024 * 1024;
const ARRIVAL_MS = 30_000; // what is held back costs memory, and nobody needs as long for a few megabytes

/** What says its length is refused unread, and the server drains it: the connection can serve the next request. */
export function limitJson({ 'x-body-limit': limit_mib = 1 }: Pick<AppRoute, 'x-body-limit'>): AppMiddleware {
  const tooLarge = () => new Fault('body_too_large', `The request body is larger than ${limit_mib} MiB`);
  const limitStream: AppMiddleware = bodyLimit({
    maxSize: limit_mib * MIB,
    onError: (c) => {
      c.header('Connection', 'close'); // the rest of it is still on its way
      throw tooLarge();
    },
  });
  return async function limitBody(c, next) {
    if (Number(c.req.header('content-length') ?? 0) > limit_mib * MIB) throw tooLarge();
    return limitStream(c, next);
  };
}

/** Waits until the whole body is here; it is kept for the validator. */
export async function awaitBody(c: AppContext, after: After): Promise<void> {
  let cancel = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    cancel = after(ARRIVAL_MS, () => reject(new Fault('body_timeout')));
  });
  try {
    await Promise.race([c.req.text(), late]);
  } catch (cause) {
    c.header('Connection', 'close');
    throw cause instanceof Fault ? cause : new Fault('validation', 'The body was broken off', { cause });
  } finally {
    cancel();
  }
}
