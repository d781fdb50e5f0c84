import { createLifecycle, type Job } from '#core/lifecycle.ts';
import type { Log } from '#core/ports/runtime.ts';
import type { Services } from '#core/service-types.ts';
import type { Store } from '#db/store.ts';
import type { Traffic } from './adapters/telemetry/metrics.ts';

/** The whole gateway in one process, not yet listening. */
export interface Gateway {
  readonly fetch: (request: Request, bindings: unknown) => Response | Promise<Response>;
  /**
   * Starts the jobs; requests wait until they have started. Call it once the port is bound: it may generate a password
   * for the default administrator, and one that nobody saw would lock everybody out. `url` is where other instances
   * reach this one; without it they cannot.
   */
  bootstrap(announce: (generated_password: string) => void, url?: string): Promise<void>;
  readonly traffic: Traffic;
  /** Announces the stop to load balancers and lets another instance lead. Requests are still answered. */
  handOver(): void;
  /** Ends what could last forever: terminals, event streams, connection tests, the monitor, dialling. Transfers may finish. */
  drain(): void;
  /** Stops the jobs, connections and background work, then closes the database. */
  close(): Promise<void>;
}

/** Also has the services, for transports other than HTTP. */
export interface WholeGateway extends Gateway {
  readonly services: Services;
}

interface Parts {
  readonly fetch: Gateway['fetch'];
  readonly services: Services;
  readonly jobs: readonly Job[];
  readonly traffic: Traffic;
  readonly store: Pick<Store, 'close'>;
  readonly log: Log;
}

export function createGateway({ fetch, services, jobs, traffic, store, log }: Parts): WholeGateway {
  const { started, start, giveUp } = promiseToStart();
  const lifecycle = createLifecycle(jobs, log);
  return {
    traffic,
    services,
    fetch: async (request, bindings) => {
      await started;
      return fetch(request, bindings);
    },
    async bootstrap(announce, url = '') {
      await lifecycle.start({ announce, url });
      start();
    },
    handOver: lifecycle.handOver,
    drain: lifecycle.drain,
    async close() {
      giveUp(new Error('The gateway was closed'));
      await lifecycle.stop();
      await store.close();
    },
  };
}

function promiseToStart() {
  let resolve: () => void = () => undefined;
  let reject: (why: unknown) => void = () => undefined;
  const promise = new Promise<void>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  promise.catch(() => undefined); // the caller of bootstrap() reports the error; waiting requests fail with it
  return { started: promise, start: () => resolve(), giveUp: (why: unknown) => reject(why) };
}
