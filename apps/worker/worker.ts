import type { Casts } from '#core/ports/casts.ts';
import type { Files } from '#core/ports/files.ts';
import type { Inspections } from '#core/ports/inspections.ts';
import type { Programs } from '#core/ports/programs.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { Screens } from '#core/ports/screens.ts';
import type { HostKeys, PrivateKeys, Prober, Shells } from '#core/ports/ssh.ts';
import { noTracer, type Tracer } from '#core/ports/tracing.ts';
import type { Tunnels } from '#core/ports/tunnels.ts';
import { createInspections } from './inspections/inspections.ts';
import { createHostLookup, type HostLookup } from './names/host-lookup.ts';
import { createProber } from './probe/probe.ts';
import { createPrograms } from './programs/programs.ts';
import { createCasts, type FileCasts } from './recording/casts.ts';
import { createObjectStore, type StoreOptions } from './recording/store/object-store.ts';
import { createScreens } from './screen/screens.ts';
import { createFiles } from './sftp/files.ts';
import { createPool } from './sftp/pool/pool.ts';
import { createShells } from './shell/shells.ts';
import { createDialler, type Dialler } from './ssh/dial/connect.ts';
import { createKeyProcesses, type KeyProcesses } from './ssh/keys/key-processes.ts';
import { createPrivateKeyReader } from './ssh/keys/private-keys.ts';
import { createTunnels } from './tunnels/tunnels.ts';

const POOL_IDLE_MS = 5 * 60_000;
const OPERATION_TIMEOUT_MS = 30_000;

export interface WorkerOptions {
  readonly host_keys: HostKeys;
  /** For each hop. */
  readonly connect_timeout_ms: number;
  readonly clock: Clock;
  readonly recordings_dir: string;
  /** Takes recordings that are over; undefined: they stay in the directory. */
  readonly recordings_store?: (StoreOptions & { readonly spool_max_bytes: number }) | undefined;
  /** `LANG` for shells; undefined sends none. */
  readonly terminal_lang?: string | undefined;
  /** How long a host may leave an SFTP request unanswered. */
  readonly operation_timeout_ms?: number;
  readonly host_lookup?: HostLookup;
  readonly tracer?: Tracer | undefined;
}

/** Everything that reaches hosts, and the recording and drawing of their output. */
export interface Worker {
  readonly shells: Shells;
  readonly files: Files;
  readonly inspections: Inspections;
  readonly programs: Programs;
  readonly tunnels: Tunnels;
  readonly prober: Prober;
  readonly private_keys: PrivateKeys;
  readonly key_processes: Pick<KeyProcesses, 'start' | 'stop'>;
  readonly casts: Casts;
  readonly screens: Screens;
  /** Pooled connections for file access and tunnels. */
  pooled(): number;
  /** Recordings that wait for the store. */
  readonly backlog: FileCasts['backlog'];
  /** Refuses new dials; open connections stay. */
  stop(): void;
  /** Closes every connection; pending work fails with `shutting_down`. */
  close(): void;
  /** Ends the threads; call it after every recording is closed. */
  endThreads(): Promise<void>;
}

export function createWorker({
  host_keys,
  connect_timeout_ms,
  clock,
  recordings_dir,
  recordings_store,
  terminal_lang,
  operation_timeout_ms = OPERATION_TIMEOUT_MS,
  host_lookup: names = createHostLookup({ clock }),
  tracer = noTracer,
}: WorkerOptions): Worker {
  const key_processes = createKeyProcesses(clock);
  const keys = createPrivateKeyReader(key_processes);
  const dialler = traced(
    createDialler({ host_keys, keys, lookup: names, connect_timeout_ms, clock }),
    tracer,
  );
  const pool = createPool({ dialler, clock, idle_ms: POOL_IDLE_MS, operation_timeout_ms });
  const casts = createCasts({
    dir: recordings_dir,
    clock,
    store: recordings_store && toSpooled(recordings_store),
  });
  const screens = createScreens({ clock });
  return {
    shells: createShells({ dialler, clock, open_timeout_ms: connect_timeout_ms, lang: terminal_lang }),
    files: createFiles(pool),
    inspections: createInspections({ dialler, clock }),
    programs: createPrograms(dialler),
    tunnels: createTunnels(pool),
    prober: createProber({ dialler, clock, operation_timeout_ms: connect_timeout_ms }),
    private_keys: {
      async assertReadable(private_key, passphrase, asker) {
        await keys.read(private_key, passphrase, asker);
      },
    },
    key_processes: { start: key_processes.start, stop: key_processes.stop },
    casts,
    screens,
    pooled: () => pool.count(),
    backlog: casts.backlog,
    stop: () => dialler.stop(),
    close() {
      pool.close();
      dialler.close();
    },
    async endThreads() {
      await Promise.all([casts.stop(), screens.stop()]);
    },
  };
}

function toSpooled(options: NonNullable<WorkerOptions['recordings_store']>) {
  return { objects: createObjectStore(options), spool_max_bytes: options.spool_max_bytes };
}

function traced(dialler: Dialler, tracer: Tracer): Dialler {
  return {
    ...dialler,
    connect(target, options) {
      const { hops } = target;
      const { server_id, name } = hops.at(-1) ?? {};
      const server = {
        ...(server_id === undefined ? {} : { server_id }),
        ...(name === undefined ? {} : { server: name }),
      };
      return tracer.span('ssh connect', { hops: hops.length, ...server }, () =>
        dialler.connect(target, options),
      );
    },
  };
}
