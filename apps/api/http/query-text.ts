import { Fault } from '#core/errors.ts';
import type { AppMiddleware } from './env.ts';

/** Refuses what cannot be decoded, which would otherwise be taken literally: `%ff` for a file of that name. */
export const assertQueryIsText: AppMiddleware = async (c, next) => {
  const [, ...query] = c.req.url.split('?');
  try {
    decodeURIComponent(query.join('?'));
  } catch (cause) {
    throw new Fault('invalid_query', undefined, { cause });
  }
  await next();
};
