import type { Repositories } from '#core/ports/repositories.ts';
import { withoutValues } from '../driver-errors.ts';
import type { Store } from '../store.ts';
import { createRateLimitRepository } from './rate-limits.ts';
import { createServerRepository } from './servers.ts';
import { createTicketRepository } from './tickets.ts';
import { createUserRepository } from './users.ts';
import { createWebSessionRepository } from './web-sessions.ts';

export function createRepositories(store: Store): Repositories {
  return {
    users: guarded(createUserRepository(store)),
    web_sessions: guarded(createWebSessionRepository(store)),
    tickets: guarded(createTicketRepository(store)),
    servers: guarded(createServerRepository(store)),
    rate_limits: guarded(createRateLimitRepository(store)),
  };
}

/** The same verbs, whose errors may be logged. */
function guarded<Repository extends object>(repository: Repository): Repository {
  return new Proxy(repository, {
    get(target, name, receiver) {
      const verb: unknown = Reflect.get(target, name, receiver);
      if (typeof verb !== 'function') return verb;
      return async (...input: unknown[]) => {
        try {
          return await Reflect.apply(verb, target, input);
        } catch (error) {
          throw withoutValues(error);
        }
      };
    },
  });
}
