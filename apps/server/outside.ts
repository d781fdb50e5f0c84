import { join } from 'node:path';
import type { DirectoryAccess } from '#core/accounts/directory-passwords.ts';
import type { BackupCost } from '#core/backup/pack/bundle.ts';
import { createHostKeys } from '#core/hosts/host-keys.ts';
import { createRevokedKeys } from '#core/hosts/known-hosts/revoked.ts';
import type { DatabaseClock } from '#core/instances/database-clock.ts';
import type { InstanceTimes } from '#core/instances/instances.ts';
import type { Job } from '#core/lifecycle.ts';
import { createMeter } from '#core/overview/meter.ts';
import type { Outbound } from '#core/ports/outside.ts';
import type { Background, Log } from '#core/ports/runtime.ts';
import type { Tracer } from '#core/ports/tracing.ts';
import type { Services } from '#core/service-types.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Store } from '#db/store.ts';
import { createKeeperClient } from '#worker/keeper/client/keeper-client.ts';
import { createHostLookup } from '#worker/names/host-lookup.ts';
import { createWorker } from '#worker/worker.ts';
import { createLanguageModels } from './adapters/agent/language-models.ts';
import { createArgon2Hasher, type HashCost } from './adapters/argon2.ts';
import { createAuditSpool } from './adapters/audit-spool.ts';
import { createBackground } from './adapters/background.ts';
import { deriveKey } from './adapters/derive-key.ts';
import { createLdapDirectory, ldapWarning } from './adapters/directory/ldap.ts';
import { createImages } from './adapters/images.ts';
import { createNeighbours } from './adapters/neighbours.ts';
import { createOutbound } from './adapters/outbound/outbound.ts';
import { openTracing } from './adapters/telemetry/tracing.ts';
import { textDigest } from './adapters/text-digest.ts';
import type { Config } from './config/config.ts';
import { assertKeeperPath } from './keeper/run.ts';
import { startKeeperProcess } from './keeper/start.ts';
import { readVersion } from './version.ts';

export interface Foundations {
  readonly store: Store;
  readonly secret_key: string;
  readonly hash_cost: HashCost | undefined;
  readonly backup_cost: BackupCost;
  /** Applies the log level that an administrator has set. */
  readonly setLogLevel: ((level: string) => void) | undefined;
  readonly clock: DatabaseClock;
  readonly instance_times: InstanceTimes | undefined;
  /** Folder of the built pages. */
  readonly web_dir: string;
  readonly role: 'gateway' | 'worker';
}

interface Needs extends Pick<Foundations, 'store' | 'hash_cost' | 'backup_cost' | 'clock'> {
  readonly record: Services['recordHostKey'];
  /** `webhook_allow_private`, as it is now. */
  readonly allowsPrivate: () => boolean;
}

export type Outside = Awaited<ReturnType<typeof openOutside>>;

/** Opens everything that core reaches through ports: database, hosts, directory, outbound HTTP. */
export async function openOutside(config: Config, log: Log, needs: Needs) {
  const { store, hash_cost, backup_cost, clock, record, allowsPrivate } = needs;
  const repositories = createRepositories(store);
  const background = createBackground(log);
  const enabled = config.verify_host_keys;
  const revoked = createRevokedKeys({ repositories, clock });
  const host_keys = createHostKeys({ repositories, revoked, enabled, clock, background, log, record });
  const tracer = await openTracing({ ...config, version: readVersion() }, log);
  const names = createHostLookup({ clock }); // shared, because lookups share two threads
  const worker = createWorker({
    host_lookup: names,
    host_keys,
    clock,
    connect_timeout_ms: config.connect_timeout_ms,
    recordings_dir: config.recordings.dir,
    recordings_store: config.recordings.store,
    terminal_lang: config.terminals.lang,
    tracer,
  });
  const keeper = openKeeperClient(config, log, { host_keys, clock, background });
  const ports = {
    ...{ repositories, clock, database_clock: clock, background, log, tracer },
    ...worker,
    ...(keeper && { keeper, shells: keeper.shells }),
    audit_spool: createAuditSpool({ folder: join(config.data_dir, 'audit-spool'), clock }),
    hasher: createArgon2Hasher(hash_cost),
    text_digest: textDigest,
    directory_access: openDirectory(config, log, background),
    outbound: traced(createOutbound({ allowsPrivate, names }), tracer),
    language_models: createLanguageModels({ allowsPrivate, names }),
    images: createImages(),
    neighbours: createNeighbours(),
    deriveKey,
    backup_cost,
    meter: createMeter(),
    disk_reserve: store.reserve,
    notices: store.notices,
  };
  const worker_job: Job = {
    name: 'worker',
    drain() {
      keeper?.stop();
      worker.stop(); // after the monitor, which would take the end of its connections for offline hosts
    },
    async stop() {
      worker.close();
      await background.drain(); // closes recordings
      keeper?.close(); // after the recordings: another gateway may continue them at once
    },
  };
  const threads_job: Job = { name: 'threads', stop: worker.endThreads };
  const keys_job: Job = { name: 'key processes', ...worker.key_processes };
  return { ports, worker, keeper, worker_job, threads_job, keys_job, tracer };
}

type KeeperNeeds = Pick<Parameters<typeof createKeeperClient>[0], 'host_keys' | 'clock' | 'background'>;

function openKeeperClient(config: Config, log: Log, needs: KeeperNeeds) {
  if (!config.keeper.enabled) return undefined;
  assertKeeperPath(config);
  return createKeeperClient({
    ...needs,
    log,
    dir: config.keeper.dir,
    start: () => startKeeperProcess(config, log),
    version: readVersion(),
    connect_timeout_ms: config.connect_timeout_ms,
    lang: config.terminals.lang,
  });
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
  // The directory may start after the gateway, so a failure is only logged. A wrong setting shows here, not at the first sign-in.
  const probed = directory.probe().then(
    () => log.info({}, 'The directory is reachable'),
    (error: Error) => log.warn({ reason: error.message }, 'The directory cannot be used yet'),
  );
  background.run('probe the directory', probed);
  return { directory, rules: ldap };
}
