import { ensureAdministrator } from '#core/accounts/bootstrap.ts';
import { Fault } from '#core/errors.ts';
import { type After, every } from '#core/lib/timers.ts';
import { startHousekeeping } from '#core/operations/housekeeping.ts';
import type { Background, Log } from '#core/ports/runtime.ts';
import type { Services } from '#core/services.ts';
import type { SessionRegistry } from '#core/terminals/live/registry.ts';
import type { Foundations, Outside } from './adapters/outside.ts';
import type { Metrics, Traffic } from './adapters/telemetry/metrics.ts';
import { type Config, ConfigError } from './config/config.ts';
import type { Readiness } from './http/readiness.ts';
import { readVersion } from './version.ts';

/** The whole gateway in one process, not yet listening. */
export interface Gateway {
  readonly fetch: (request: Request, bindings: unknown) => Response | Promise<Response>;
  /**
   * Makes the default administrator and the demonstration, where they are missing. To be called once the port is ours:
   * a password that nobody saw would lock everybody out. Until it is done, requests wait. `url` is where other instances
   * reach this one; without it they cannot.
   */
  bootstrap(announce: (generated_password: string) => void, url?: string): Promise<void>;
  readonly traffic: Traffic;
  /** Is about to stop: says so to load balancers, and lets another instance lead. Requests are still answered. */
  drain(): void;
  /** Ends what would go on by itself: terminals, event streams, tests, the monitor, dialling. Transfers may finish. */
  windDown(): void;
  /** Ends terminals, pooled connections and background work, then closes the database. */
  close(): Promise<void>;
}

interface Parts extends Pick<Foundations, 'store' | 'clock'> {
  readonly fetch: Gateway['fetch'];
  readonly log: Log;
  readonly outside: Outside;
  readonly services: Services;
  readonly registry: SessionRegistry;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
}

/** From the first start to the stop, in their order. */
export function createLifecycle(config: Config, parts: Parts): Gateway {
  const { outside, services, registry, metrics, readiness, log, clock } = parts;
  const { ports, worker } = outside;
  const { background } = ports;
  const { started, start, giveUp } = promiseToStart();
  const stops = beginUpkeep(parts);
  const stopMonitor = () => stopQuietly(services.monitor.stop(), log);
  return {
    traffic: metrics.traffic,
    fetch: async (request, bindings) => {
      await started;
      return parts.fetch(request, bindings);
    },
    async bootstrap(announce, url = '') {
      await services.settings.refresh();
      await services.branding.refresh();
      await services.recordStart(readVersion());
      await services.probeRecordings();
      await services.instances.start(config.instance_url ?? url);
      services.overview.start();
      const generated_password = await ensureAdmin(ports, config.admin_password);
      if (generated_password !== undefined) announce(generated_password);
      if (config.demo_mode) await services.seedDemo();
      await services.monitor.start();
      stops.push(keepResealing(services, background, clock.after));
      start();
    },
    drain() {
      readiness.drain();
      background.run('stop the monitor', stopMonitor());
    },
    windDown() {
      readiness.drain();
      registry.endAll();
      services.server_events.close();
      services.connection_tests.end();
      background.run('stop the monitor', stopMonitor());
      worker.stop(); // after the monitor, which would take it for the hosts' doing
    },
    async close() {
      giveUp(new Error('The gateway was closed'));
      for (const stop of [metrics.close, ...stops]) stop();
      registry.endAll();
      services.server_events.close();
      await stopMonitor();
      await closeAll(parts);
    },
  };
}

async function closeAll({ outside: { ports, worker }, services, log, store }: Parts): Promise<void> {
  await stopQuietly(services.instances.stop(), log);
  await worker.close();
  await ports.background.drain(); // recordings are closed by it
  await services.overview.stop();
  await worker.endThreads();
  await services.owed_audit.close();
  await store.close();
}

/** What goes on by itself; each is stopped by what it returns. */
function beginUpkeep({ outside, services }: Parts): (() => void)[] {
  const { clock, repositories, background } = outside.ports;
  return [
    startHousekeeping({ repositories, clock, background, sweepParts: services.sweepParts }),
    services.deliverWebhooks(),
    services.watchTerminals(clock.after),
    services.watchTyped(clock.after),
    services.watchSettings(clock.after),
    every(clock.after, OWED_MS, () =>
      background.run('write audit entries that are owed', services.owed_audit.settle()),
    ),
  ];
}

const OWED_MS = 3_000;
const RESEAL_AGAIN_MS = 10 * 60_000; // an instance that still has the previous key may have sealed with it

function keepResealing({ resealing }: Services, background: Background, after: After): () => void {
  const ended = new AbortController();
  const run = () => background.run('seal stored secrets anew', resealing.run(ended.signal));
  run();
  const cancel = every(after, RESEAL_AGAIN_MS, run);
  return () => {
    cancel();
    ended.abort();
  };
}

type BootstrapPorts = Omit<Parameters<typeof ensureAdministrator>[0], 'admin_password'>;

async function ensureAdmin(
  ports: BootstrapPorts,
  admin_password: string | undefined,
): Promise<string | undefined> {
  try {
    return (await ensureAdministrator({ ...ports, admin_password })).generated_password;
  } catch (error) {
    if (error instanceof Fault) throw new ConfigError(`SERVICE_ADMIN_PASSWORD: ${error.detail}`);
    throw error;
  }
}

/** A database that is away keeps nobody from stopping: the lease runs out by itself. */
async function stopQuietly(stopped: Promise<void>, log: Log): Promise<void> {
  await stopped.catch((err: unknown) => log.warn({ err }, 'The monitor lease could not be handed back'));
}

function promiseToStart() {
  let resolve: () => void = () => undefined;
  let reject: (why: unknown) => void = () => undefined;
  const promise = new Promise<void>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  promise.catch(() => undefined); // told by whoever started us; requests that wait fail with it
  return { started: promise, start: () => resolve(), giveUp: (why: unknown) => reject(why) };
}
