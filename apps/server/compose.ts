import { hostname } from 'node:os';
import { createApp } from '#api/app.ts';
import { Fault } from '#core/errors.ts';
import type { Background, Log } from '#core/ports/runtime.ts';
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
import { createWorker } from '#worker/worker.ts';
import { createArgon2Hasher, type HashCost } from './adapters/argon2.ts';
import { createBackground } from './adapters/background.ts';
import { systemClock as clock } from './adapters/clock.ts';
import { deriveKey } from './adapters/derive-key.ts';
import { createImages } from './adapters/images.ts';
import { createLdapDirectory, ldapWarning } from './adapters/ldap.ts';
import { createOutbound } from './adapters/outbound.ts';
import { type Config, ConfigError, createAddressMatcher } from './config.ts';
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
  /** Ends what would go on by itself: terminals, event streams, tests, the monitor, dialling. Transfers may finish. */
  windDown(): void;
  /** Ends terminals, pooled connections and background work, then closes the database. */
  close(): Promise<void>;
}

export async function composeGateway(
  config: Config,
  log: Log,
  { hash_cost }: { readonly hash_cost?: HashCost } = {},
): Promise<Gateway> {
  const { secret_key, warning } = await resolveSecretKey(config);
  if (warning) log.warn({}, warning);
  const store = await openStore(config.database_url);
  try {
    await migrate(store, log);
    return await assemble(config, log, { store, secret_key, hash_cost });
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
}

async function assemble(config: Config, log: Log, foundations: Foundations): Promise<Gateway> {
  const { store, secret_key, hash_cost } = foundations;
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
  const worker = createWorker({
    host_keys,
    clock,
    connect_timeout_ms: config.connect_timeout_ms,
    recordings_dir: config.recordings.dir,
    terminal_lang: config.terminals.lang,
  });
  const directory_access = openDirectory(config, log, background);
  const operations = {
    outbound: createOutbound({ allow_private: config.webhook_allow_private }),
    images: createImages(),
    deriveKey,
    meter: createMeter(),
  };
  const ports = { repositories, hasher, directory_access, clock, background, log, ...worker, ...operations };
  const services = await createServices(ports, {
    ...serviceOptions(config),
    secret_key,
    registry,
    machine: hostname(),
    version: readVersion(),
  });
  const hono = openFace(config, services, log);
  const { started, start, giveUp } = promiseToStart();
  const stops = [
    startHousekeeping({ repositories, clock, background, sweepParts: services.sweepParts }),
    services.watchTerminals(clock.after),
    services.watchTyped(clock.after),
  ];
  return {
    fetch: async (request, bindings) => {
      await started;
      return hono.fetch(request, bindings);
    },
    async bootstrap(announce, url = '') {
      await services.recordStart(readVersion());
      await services.probeRecordings();
      await services.instances.start(config.instance_url ?? url);
      const generated_password = await ensureAdmin(ports, config.admin_password);
      if (generated_password !== undefined) announce(generated_password);
      if (config.demo_mode) await services.seedDemo();
      await services.monitor.start();
      start();
    },
    windDown() {
      registry.endAll();
      services.server_events.close();
      services.connection_tests.end();
      background.run('stop the monitor', stopQuietly(services.monitor.stop(), log));
      worker.stop(); // after the monitor, which would take it for the hosts' doing
    },
    async close() {
      giveUp(new Error('The gateway was closed'));
      for (const stop of stops) stop();
      registry.endAll();
      services.server_events.close();
      await stopQuietly(services.monitor.stop(), log);
      await stopQuietly(services.instances.stop(), log);
      await worker.close();
      await background.drain(); // recordings are closed by it
      await worker.endThreads();
      await store.close();
    },
  };
}

function serviceOptions(config: Config) {
  const { allowed_targets, ...terminals } = config.terminals;
  const isAllowedAddress = allowed_targets.length > 0 ? createAddressMatcher(allowed_targets) : undefined;
  return { ...config, terminals: { ...terminals, isAllowedAddress } };
}

/** API and page, as one function from request to response. */
function openFace(config: Config, services: Services, log: Log) {
  const { hono } = createApp({
    ...config,
    services,
    runtime: createNodeRuntime(config.trusted_proxies),
    log,
    after: clock.after,
    version: readVersion(),
    monitorRole: services.monitor.role,
    quick_connect: () => services.settings.values.quick_connect,
    metrics: async () => ({ type: 'text/plain', text: '' }),
    assertReady: async () => undefined,
  });
  mountStaticUi(hono, WEB_DIR, config.root_path);
  return hono;
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
