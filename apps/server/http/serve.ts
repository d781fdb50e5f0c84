import { constants, networkInterfaces } from 'node:os';
import type { Log } from '#core/ports/runtime.ts';
import { createLog } from '../adapters/telemetry/log.ts';
import { composeGateway } from '../compose.ts';
import { type Config, parseConfig, readEnvironment, unknownVariables } from '../config/config.ts';
import type { Gateway } from '../gateway.ts';
import { readVersion } from '../version.ts';
import { type Listener, listen } from './listen.ts';

const UNVERIFIED =
  'SERVICE_VERIFY_HOST_KEYS is off: host keys are neither checked nor pinned, and whoever is in between can read everything';

/** Runs the gateway until it is told to stop; resolves to the exit code. */
export async function serve(): Promise<number> {
  const environment = readEnvironment();
  const config = parseConfig(environment);
  const log = createLog({ level: config.log_level, format: config.log_format });
  for (const name of unknownVariables(environment)) log.warn({ name }, `Unknown variable ${name} is ignored`);
  if (!config.verify_host_keys) log.warn({}, UNVERIFIED);
  const setLogLevel = (level: string) => {
    log.level = level;
  };
  const gateway = await composeGateway(config, log, { setLogLevel });
  const listener = await listen(gateway, config);
  const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${listener.port}${config.root_path}/`;
  await firstStart(gateway, listener, {
    url,
    demo_mode: config.demo_mode,
    reached_at: reachedAt(config, listener),
  });
  log.info({ version: readVersion(), instance_id: config.instance_id }, `Sallyport is listening on ${url}`);
  const signal = await stopSignal();
  stopAtOnceOnAnother(log);
  await stop({ gateway, listener, drain_ms: config.drain_ms, log, signal });
  return 0;
}

interface Stopping {
  readonly gateway: Gateway;
  readonly listener: Listener;
  readonly drain_ms: number;
  readonly log: Log;
  readonly signal: NodeJS.Signals;
}

async function stop({ gateway, listener, drain_ms, log, signal }: Stopping): Promise<void> {
  log.info({ signal, drain_seconds: drain_ms / 1000 }, 'Stopping; another signal stops at once');
  gateway.drain();
  listener.drain();
  await new Promise((resolve) => setTimeout(resolve, drain_ms)); // load balancers ask every few seconds
  gateway.windDown();
  await listener.close();
  await gateway.close();
  log.info({}, 'Stopped');
}

/** Listening everywhere, the first address that others may know this machine by. */
function reachedAt({ host, root_path }: Config, { port }: Listener): string {
  const is_any = host === '0.0.0.0' || host === '::';
  const address = is_any ? (firstForeignAddress() ?? '127.0.0.1') : host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}${root_path}`;
}

function firstForeignAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address;
}

async function firstStart(
  gateway: Gateway,
  listener: Listener,
  { url, demo_mode, reached_at }: { url: string; demo_mode: boolean; reached_at: string },
): Promise<void> {
  try {
    await gateway.bootstrap((password) => announce(url, password, demo_mode), reached_at);
  } catch (error) {
    await Promise.all([gateway.close(), listener.close()]); // requests that waited for the start end with it
    throw error;
  }
}

/** Straight to the terminal, never to the log, which may be kept. */
function announce(url: string, password: string, demo_mode: boolean): void {
  const when = demo_mode ? '(shown only now; of use when demo mode is off)' : '(shown only now)';
  process.stdout.write(
    `\n  First start. Sign in at ${url}\n  user name: admin\n  password:  ${password}\n  ${when}\n\n`,
  );
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const SAME_SIGNAL_MS = 500; // one Ctrl-C may come twice: from the terminal, and from an `npm` in between

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) process.once(signal, () => resolve(signal));
  });
}

/** With the exit code of a shell's command that was ended by it. */
function stopAtOnceOnAnother(log: Log): void {
  const first_ms = performance.now();
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (performance.now() - first_ms < SAME_SIGNAL_MS) return;
      log.warn({ signal }, 'Stopped at once');
      process.exit(128 + constants.signals[signal]);
    });
  }
}
