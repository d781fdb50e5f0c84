import { hostname } from 'node:os';
import { createApp } from '#api/app.ts';
import { type ActivityRegistry, createActivityRegistry } from '#core/activities/registry.ts';
import { BACKUP_COST, type BackupCost } from '#core/backup/pack/bundle.ts';
import { Fault } from '#core/errors.ts';
import { asDatabaseClock, createDatabaseClock, type DatabaseClock } from '#core/instances/database-clock.ts';
import type { InstanceTimes } from '#core/instances/instances.ts';
import { sourcesIn } from '#core/lib/network/origins.ts';
import type { Job } from '#core/lifecycle.ts';
import type { Clock, Log } from '#core/ports/runtime.ts';
import type { Services } from '#core/service-types.ts';
import { createServices } from '#core/services.ts';
import type { LiveSession } from '#core/terminals/live/live-session.ts';
import { openStore } from '#db/open-store.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Reserve } from '#db/reserve.ts';
import type { Store } from '#db/store.ts';
import type { HashCost } from './adapters/argon2.ts';
import { createTargetRule } from './adapters/quick-targets.ts';
import { createMetrics, type Metrics } from './adapters/telemetry/metrics.ts';
import type { Config } from './config/config.ts';
import { warnOfPlainUrl } from './config/instance-url.ts';
import { resolveSecretKey } from './config/secret-key.ts';
import { createGateway, type WholeGateway } from './gateway.ts';
import { embedIntegrity } from './http/embed-integrity.ts';
import { serveFolder } from './http/folder-files.ts';
import { createReadiness, type Readiness } from './http/readiness.ts';
import { createRelays, type Relays } from './http/relay.ts';
import { createNodeRuntime } from './http/runtime.ts';
import { mountStaticUi } from './http/static-ui.ts';
import { systemClock } from './lib/clock.ts';
import { type Foundations, type Outside, openOutside } from './outside.ts';
import { upgrade } from './upgrade.ts';
import { readVersion } from './version.ts';
import { WEB_DIR } from './web-dir.ts';

export interface GatewayExtras {
  readonly hash_cost?: HashCost;
  readonly backup_cost?: BackupCost;
  /** Applies the log level that an administrator has set. */
  readonly setLogLevel?: (level: string) => void;
  /** Used as it is. */
  readonly clock?: Clock;
  /** Corrected to the time of the database. */
  readonly machine_clock?: Clock;
  readonly instance_times?: InstanceTimes;
  /** Folder of the built pages. */
  readonly web_dir?: string;
  /** `worker`: serves only what an edge forwards, and no pages. */
  readonly role?: 'gateway' | 'worker';
}

export async function composeGateway(
  config: Config,
  log: Log,
  extras: GatewayExtras = {},
): Promise<WholeGateway> {
  const { hash_cost, backup_cost = BACKUP_COST, setLogLevel, instance_times } = extras;
  const { web_dir = WEB_DIR, role = 'gateway' } = extras;
  const { secret_key, warning } = await resolveSecretKey(config);
  if (warning) log.warn({}, warning);
  const store = await openStore(config.database_url);
  try {
    await upgrade(store, config, { secret_key, log });
    const clock = await openClock(store, extras);
    const kept = { secret_key, hash_cost, backup_cost, setLogLevel, clock, instance_times, web_dir, role };
    const gateway = await assemble(config, log, { store, ...kept });
    store.keepLargeIndexes(log);
    return gateway;
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openClock(store: Store, { clock, machine_clock = systemClock }: GatewayExtras) {
  if (clock) return asDatabaseClock(clock);
  const followed = createDatabaseClock(machine_clock, createRepositories(store).instances.time);
  await followed.measure();
  return followed;
}

async function assemble(config: Config, log: Log, foundations: Foundations): Promise<WholeGateway> {
  const { secret_key, setLogLevel, clock } = foundations;
  const activities = createActivityRegistry<LiveSession>();
  const outside = await openOutside(config, log, {
    ...foundations,
    allowsPrivate: () => services.settings.values.webhook_allow_private,
    record: (action, detail) => services.recordHostKey(action, detail), // called only once services exist
  });
  outside.ports.background.run('check SERVICE_INSTANCE_URL', warnOfPlainUrl(config.instance_url, log));
  const { services, jobs } = await createServices(outside.ports, {
    ...serviceOptions(config),
    secret_key,
    activities,
    worker: outside.worker_job,
    threads: outside.threads_job,
    machine: hostname(),
    instance_times: foundations.instance_times,
    version: readVersion(),
    embed_integrity: embedIntegrity(foundations.web_dir),
  });
  services.settings.onChange(() => setLogLevel?.(services.settings.values.log_level));
  const metrics = openMetrics(config, { outside, services, activities });
  const readiness = createReadiness(beatOf(outside.ports), clock.after);
  const relays = createRelays();
  const { store, web_dir, role } = foundations;
  const { tracer } = outside;
  const { reserve } = store;
  const shared = { services, log, clock, metrics, readiness, relays };
  const hono = openFace(config, { ...shared, tracer, web_dir, role, reserve });
  return createGateway({
    fetch: hono.fetch,
    services,
    jobs: [outside.keys_job, ...jobs, ...shutdownJobs({ relays, activities, metrics, readiness })],
    traffic: metrics.traffic,
    store,
    log,
  });
}

interface Shutdown {
  readonly relays: Relays;
  readonly activities: ActivityRegistry<LiveSession>;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
}

/** Jobs that only a shutdown concerns; the last comes first. */
function shutdownJobs({ relays, activities, metrics, readiness }: Shutdown): readonly Job[] {
  return [
    { name: 'relays', drain: relays.end, stop: relays.end },
    { name: 'activities', drain: activities.endAll, stop: activities.endAll }, // again: more may have begun
    { name: 'metrics', stop: metrics.close },
    { name: 'readiness', handOver: readiness.drain },
  ];
}

interface Measured {
  readonly outside: Outside;
  readonly services: Services;
  readonly activities: ActivityRegistry<LiveSession>;
}

function openMetrics({ instance_id }: Config, { outside, services, activities }: Measured): Metrics {
  const { meter, repositories } = outside.ports;
  return createMetrics({
    meter,
    version: readVersion(),
    instance_id,
    gauges: {
      terminals: () => activities.sessions().length,
      transfers: () => activities.all().filter(({ use }) => use === 'transfer').length,
      sftp_pooled_connections: outside.worker.pooled,
      monitor_leader: () => (services.monitor.role() === 'leader' ? 1 : 0),
      webhook_deliveries_waiting: repositories.pulse.waitingDeliveries,
      keeper_connected: () => (outside.keeper?.held() === undefined ? 0 : 1),
      keeper_terminals: () => outside.keeper?.held() ?? 0,
      recordings_waiting: async () => (await outside.worker.backlog()).files,
      recordings_waiting_bytes: async () => (await outside.worker.backlog()).bytes,
    },
  });
}

function serviceOptions(config: Config) {
  return { ...config, isAllowedAddress: createTargetRule(config.terminals.allowed_targets) };
}

interface Face {
  readonly services: Services;
  readonly log: Log;
  readonly clock: DatabaseClock;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly relays: Relays;
  readonly tracer: Outside['tracer'];
  readonly web_dir: string;
  readonly role: 'gateway' | 'worker';
  readonly reserve: Pick<Reserve, 'isFull'>;
}

/** Fails while nothing should be written, too. */
function beatOf({ repositories: { pulse }, disk_reserve }: Outside['ports']) {
  return async () => {
    if (disk_reserve.isFull()) throw new Fault('database_unavailable', 'The disk of the database is full');
    await pulse.beat();
  };
}

/** The other sites that settings allow. */
function sitesOf({ settings }: Services) {
  return {
    allowed_origins: () => sourcesIn(settings.values.allowed_origins),
    frame_ancestors: () => sourcesIn(settings.values.frame_ancestors),
  };
}

/** The API and the pages as one Hono application. */
function openFace(config: Config, face: Face) {
  const { services, log, clock, metrics, readiness, relays, tracer, web_dir, role, reserve } = face;
  const sites = sitesOf(services);
  const { hono } = createApp({
    ...config,
    services,
    runtime: createNodeRuntime(config.trusted_proxies, clock.after, relays),
    log,
    after: clock.after,
    version: readVersion(),
    monitorRole: services.monitor.role,
    quick_connect: () => services.settings.values.quick_connect,
    ...sites,
    metrics: metrics.page,
    assertReady: readiness.assertReady,
    clockSkewMs: clock.skew_ms,
    isDatabaseFull: reserve.isFull,
    watchRequest: metrics.answered,
    tracer,
    role,
  });
  if (role === 'worker') return hono;
  mountStaticUi(hono, {
    serve: serveFolder(web_dir),
    root_path: config.root_path,
    allowed_origins: sites.allowed_origins,
    others: services.other_instances,
  });
  return hono;
}
