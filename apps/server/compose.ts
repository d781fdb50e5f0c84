import { hostname } from 'node:os';
import { createApp } from '#api/app.ts';
import { Fault } from '#core/errors.ts';
import { type After, every } from '#core/lib/timers.ts';
import type { Outbound } from '#core/ports/outside.ts';
import type { Background, Clock, Log } from '#core/ports/runtime.ts';
import type { Tracer } from '#core/ports/tracing.ts';
import { BACKUP_COST, type BackupCost } from '#core/services/backup-bundle.ts';
import { ensureAdministrator } from '#core/services/bootstrap.ts';
import { createHostKeys } from '#core/services/host-keys.ts';
import { startHousekeeping } from '#core/services/housekeeping.ts';
import { createMeter } from '#core/services/meter.ts';
import type { DirectoryAccess } from '#core/services/password-check.ts';
import { createServices, type Services } from '#core/services/services.ts';
import { createSessionRegistry } from '#core/terminal/session-registry.ts';
import { migrate } from '#db/migrate/apply.ts';
import { openStore } from '#db/open-store.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { createNames } from '#worker/ssh/names.ts';
import { createWorker } from '#worker/worker.ts';
import { createArgon2Hasher, type HashCost } from './adapters/argon2.ts';
import { createBackground } from './adapters/background.ts';
import { systemClock } from './adapters/clock.ts';
import { deriveKey } from './adapters/derive-key.ts';
import { createImages } from './adapters/images.ts';
import { createLdapDirectory, ldapWarning } from './adapters/ldap.ts';
import { createMetrics, type Metrics, type Traffic } from './adapters/metrics.ts';
import { createOutbound } from './adapters/outbound.ts';
import { openTracing, type Tracing } from './adapters/tracing.ts';
import { type Config, ConfigError, createAddressMatcher } from './config.ts';
import { createReadiness, type Readiness } from './readiness.ts';
import { createNodeRuntime } from './runtime.ts';
import { resolveSecretKey } from './secret-key.ts';
import { mountStaticUi } from './static-ui.ts';
import { readVersion } from './version.ts';

const WEB_DIR = new URL('../../dist/web', import.meta.url).pathname; // the same from the sources and from the bundle

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

export interface GatewayExtras {
  readonly hash_cost?: HashCost;
  readonly backup_cost?: BackupCost;
  /** Where the log can be told what an administrator has set. */
  readonly setLogLevel?: (level: string) => void;
  readonly clock?: Clock;
}

export async function composeGateway(
  config: Config,
  log: Log,
  { hash_cost, backup_cost = BACKUP_COST, setLogLevel, clock = systemClock }: GatewayExtras = {},
): Promise<Gateway> {
  const { secret_key, warning } = await resolveSecretKey(config);
  if (warning) log.warn({}, warning);
  const store = await openStore(config.database_url);
  try {
    await migrate(store, log);
    return await assemble(config, log, { store, secret_key, hash_cost, backup_cost, setLogLevel, clock });
  } catch (error) {
    await store.close();
    throw error;
  }
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

interface Foundations {
  readonly store: Awaited<ReturnType<typeof openStore>>;
  readonly secret_key: string;
  readonly hash_cost: HashCost | undefined;
  readonly backup_cost: BackupCost;
  readonly setLogLevel: GatewayExtras['setLogLevel'];
  readonly clock: Clock;
}

async function assemble(config: Config, log: Log, foundations: Foundations): Promise<Gateway> {
  const { store, secret_key, hash_cost, backup_cost, setLogLevel, clock } = foundations;
  const repositories = createRepositories(store);
  const hasher = createArgon2Hasher(hash_cost);
  const background = createBackground(log);
  const registry = createSessionRegistry();
  const host_keys = createHostKeys({
    repositories,
    enabled: config.verify_host_keys,
    clock,
    background,
    log,
    record: (action, detail) => services.recordHostKey(action, detail), // by then there are services
  });
  const version = readVersion();
  const tracer = await openTracing({ ...config, version }, log);
  const names = createNames({ clock }); // one for all, since lookups share two threads
  const worker = createWorker({
    names,
    host_keys,
    clock,
    connect_timeout_ms: config.connect_timeout_ms,
    recordings_dir: config.recordings.dir,
    terminal_lang: config.terminals.lang,
    tracer,
  });
  const directory_access = openDirectory(config, log, background);
  const operations = {
    outbound: traced(createOutbound({ allow_private: config.webhook_allow_private, names }), tracer),
    images: createImages(),
    deriveKey,
    backup_cost,
    meter: createMeter(),
  };
  const ports = {
    ...{ repositories, hasher, directory_access, clock, background, log, tracer },
    ...worker,
    ...operations,
  };
  const services = await createServices(ports, {
    ...serviceOptions(config),
    secret_key,
    registry,
    machine: hostname(),
    version,
  });
  services.settings.onChange(() => setLogLevel?.(services.settings.values.log_level));
  const metrics = createMetrics({
    meter: operations.meter,
    version,
    instance_id: config.instance_id,
    gauges: {
      terminals: () => registry.sessions().length,
      transfers: () => registry.all().filter(({ use }) => use === 'transfer').length,
      sftp_pooled_connections: worker.pooled,
      monitor_leader: () => (services.monitor.role() === 'leader' ? 1 : 0),
      webhook_deliveries_waiting: repositories.pulse.waitingDeliveries,
    },
  });
  const readiness = createReadiness(repositories.pulse.beat, clock.after);
  const hono = openFace(config, { services, log, clock, metrics, readiness, tracer });
  const { started, start, giveUp } = promiseToStart();
  const stops = [
    startHousekeeping({ repositories, clock, background, sweepParts: services.sweepParts }),
    services.deliverWebhooks(),
    services.watchTerminals(clock.after),
    services.watchTyped(clock.after),
    services.watchSettings(clock.after),
    every(clock.after, OWED_MS, () =>
      background.run('write audit entries that are owed', services.owed_audit.settle()),
    ),
  ];
  return {
    fetch: async (request, bindings) => {
      await started;
      return hono.fetch(request, bindings);
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
    traffic: metrics.traffic,
    drain() {
      readiness.drain();
      background.run('stop the monitor', stopQuietly(services.monitor.stop(), log));
    },
    windDown() {
      readiness.drain();
      registry.endAll();
      services.server_events.close();
      services.connection_tests.end();
      background.run('stop the monitor', stopQuietly(services.monitor.stop(), log));
      worker.stop(); // after the monitor, which would take it for the hosts' doing
    },
    async close() {
      giveUp(new Error('The gateway was closed'));
      metrics.close();
      for (const stop of stops) stop();
      registry.endAll();
      services.server_events.close();
      await stopQuietly(services.monitor.stop(), log);
      await stopQuietly(services.instances.stop(), log);
      await worker.close();
      await background.drain(); // recordings are closed by it
      await services.overview.stop();
      await worker.endThreads();
      await services.owed_audit.close();
      await store.close();
    },
  };
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

function serviceOptions(config: Config) {
  const { allowed_targets } = config.terminals;
  const isAllowedAddress = allowed_targets.length > 0 ? createAddressMatcher(allowed_targets) : undefined;
  return { ...config, isAllowedAddress };
}

interface Face {
  readonly services: Services;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly tracer: Tracing | undefined;
}

/** API and page, as one function from request to response. */
function openFace(config: Config, parts: Face) {
  const { services, log, clock, metrics, readiness, tracer } = parts;
  const { hono } = createApp({
    ...config,
    services,
    runtime: createNodeRuntime(config.trusted_proxies, clock.after),
    log,
    after: clock.after,
    version: readVersion(),
    monitorRole: services.monitor.role,
    quick_connect: () => services.settings.values.quick_connect,
    metrics: metrics.page,
    assertReady: readiness.assertReady,
    watchRequest: metrics.answered,
    tracer,
  });
  mountStaticUi(hono, WEB_DIR, config.root_path);
  return hono;
}

function traced(outbound: Outbound, tracer: Tracer | undefined): Outbound {
  if (!tracer) return outbound;
  return { ...outbound, post: (input) => tracer.span('webhook post', {}, () => outbound.post(input)) };
}

function openDirectory({ ldap }: Config, log: Log, background: Background): DirectoryAccess | undefined {
  if (!ldap) return undefined;
  const warning = ldapWarning(ldap);
  if (warning) log.warn({}, warning);
  const directory = createLdapDirectory({ ...ldap, log });
  // It may come up after us, so it stops nothing; but a wrong setting is told now, not at the first sign-in.
  const probed = directory.probe().then(
    () => log.info({}, 'The directory answers'),
    (error: Error) => log.warn({ reason: error.message }, 'The directory cannot be used yet'),
  );
  background.run('probe the directory', probed);
  return { directory, rules: ldap };
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
