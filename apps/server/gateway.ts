import type { ActivityRegistry } from '#core/activities/registry.ts';
import { createLifecycle, type Job } from '#core/lifecycle.ts';
import type { Log } from '#core/ports/runtime.ts';
import type { Services } from '#core/services.ts';
import type { Store } from '#db/store.ts';
import type { Metrics, Traffic } from './adapters/telemetry/metrics.ts';
import type { Readiness } from './http/readiness.ts';
import type { Relays } from './http/relay.ts';
import type { Outside } from './outside.ts';

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
  drain(): void;
  /** Ends what could last forever: terminals, event streams, connection tests, the monitor, dialling. Transfers may finish. */
  windDown(): void;
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
  readonly activities: ActivityRegistry;
  readonly outside: Outside;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly relays: Relays;
  readonly store: Store;
  readonly log: Log;
}

export function createGateway(parts: Parts): WholeGateway {
  const { services, activities, outside, metrics, readiness, relays, store, log } = parts;
  const { worker, keeper, ports } = outside;
  const { started, start, giveUp } = promiseToStart();
  const lifecycle = createLifecycle(parts.jobs, log);

  /** Early, so that another instance takes over. Shutdown does not depend on the database: the lease expires. */
  function handOverMonitor(): void {
    const stopped = services.monitor
      .stop()
      .catch((err: unknown) => log.warn({ err }, 'The monitor lease could not be released'));
    ports.background.run('stop the monitor', stopped);
  }

  function endSessions(): void {
    activities.endAll();
    relays.end();
    services.server_events.close();
  }

  return {
    traffic: metrics.traffic,
    services,
    fetch: async (request, bindings) => {
      await started;
      return parts.fetch(request, bindings);
    },
    async bootstrap(announce, url = '') {
      await lifecycle.start({ announce, url });
      start();
    },
    drain() {
      readiness.drain();
      handOverMonitor();
    },
    windDown() {
      readiness.drain();
      endSessions();
      services.connection_tests.end();
      handOverMonitor();
      keeper?.stop();
      worker.stop(); // after the monitor, which would take the end of its connections for offline hosts
    },
    async close() {
      giveUp(new Error('The gateway was closed'));
      metrics.close();
      endSessions();
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
