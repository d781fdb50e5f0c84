import { constants, networkInterfaces } from 'node:os';
import type { Log } from '#core/ports/runtime.ts';
import { createLog, type LeveledLog } from './adapters/telemetry/log.ts';
import { composeGateway } from './compose.ts';
import { type Config, parseConfig, unknownVariables } from './config/config.ts';
import { readEnvironment } from './config/environment.ts';
import { composeNodeEdge } from './edge/node.ts';
import type { Gateway } from './gateway.ts';
import { letHeapGrow } from './heap-growth.ts';
import { type Listener, listen } from './http/listen.ts';
import { systemClock as clock } from './lib/clock.ts';
import { readVersion } from './version.ts';

const UNVERIFIED =
  'SERVICE_VERIFY_HOST_KEYS is off: host keys are neither checked nor pinned, so anyone between the gateway and a host can read everything';

/** `gateway`: everything; `edge` and `worker`: the two halves of it. */
export const ROLES = ['gateway', 'worker', 'edge'] as const;

export type Role = (typeof ROLES)[number];

/** Runs the gateway, or a half of it, until a stop signal; resolves to the exit code. */
export async function serve(role: Role): Promise<number> {
  letHeapGrow();
  const environment = readEnvironment();
  const config = parseConfig(environment);
  const log = createLog({ level: config.log_level, format: config.log_format });
  const gateway = await compose({ role, config, environment, log });
  const listener = await listen(gateway, config);
  const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${listener.port}${config.root_path}/`;
  await firstStart(gateway, listener, {
    sign_in_at: role === 'worker' ? 'its edge' : url,
    demo_mode: config.demo_mode,
    reachable_at: reachableAt(config, listener),
  });
  const started = { version: readVersion(), instance_id: config.instance_id, role };
  log.info(started, `Sallyport is listening on ${url}`);
  const signal = await stopSignal();
  stopAtOnceOnAnother(log);
  await stop({ gateway, listener, drain_ms: config.drain_ms, log, signal });
  return 0;
}

interface Composing {
  readonly role: Role;
  readonly config: Config;
  readonly environment: Readonly<Record<string, string>>;
  readonly log: LeveledLog;
}

async function compose({ role, config, environment, log }: Composing): Promise<Gateway> {
  if (role === 'edge') return composeNodeEdge(config, environment, log);
  for (const name of unknownVariables(environment)) log.warn({ name }, `Unknown variable ${name} is ignored`);
  if (!config.verify_host_keys) log.warn({}, UNVERIFIED);
  const setLogLevel = (level: string) => {
    log.level = level;
  };
  return composeGateway(config, log, { setLogLevel, role });
}

interface Stopping {
  readonly gateway: Gateway;
  readonly listener: Listener;
  readonly drain_ms: number;
  readonly log: Log;
  readonly signal: NodeJS.Signals;
}

async function stop({ gateway, listener, drain_ms, log, signal }: Stopping): Promise<void> {
  log.info({ signal, drain_seconds: drain_ms / 1000 }, 'Stopping; a second signal stops at once');
  gateway.handOver();
  listener.drain();
  await new Promise((resolve) => setTimeout(resolve, drain_ms)); // load balancers check every few seconds
  gateway.drain();
  await listener.close();
  await gateway.close();
  log.info({}, 'Stopped');
}

/** When the gateway listens on all addresses: the first one that is not loopback. */
function reachableAt({ host, root_path }: Config, { port }: Listener): string {
  const is_any = host === '0.0.0.0' || host === '::';
  const address = is_any ? (firstExternalAddress() ?? '127.0.0.1') : host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}${root_path}`;
}

function firstExternalAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address;
}

async function firstStart(
  gateway: Gateway,
  listener: Listener,
  { sign_in_at, demo_mode, reachable_at }: { sign_in_at: string; demo_mode: boolean; reachable_at: string },
): Promise<void> {
  try {
    await gateway.bootstrap((password) => announce(sign_in_at, password, demo_mode), reachable_at);
  } catch (error) {
    await Promise.all([gateway.close(), listener.close()]); // ends the requests that wait for the start
    throw error;
  }
}

/** To the terminal, never to the log, which may be stored. */
function announce(sign_in_at: string, password: string, demo_mode: boolean): void {
  const when = demo_mode ? '(shown only once; for use when demo mode is off)' : '(shown only once)';
  process.stdout.write(
    `\n  First start. Sign in at ${sign_in_at}\n  username: admin\n  password: ${password}\n  ${when}\n\n`,
  );
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const SAME_SIGNAL_MS = 500; // Ctrl-C may arrive twice: from the terminal and from npm

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) process.once(signal, () => resolve(signal));
  });
}

/** Exits with the code that a shell reports for a process killed by the signal. */
function stopAtOnceOnAnother(log: Log): void {
  const first_ms = clock.elapsed_ms();
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (clock.elapsed_ms() - first_ms < SAME_SIGNAL_MS) return;
      log.warn({ signal }, 'Stopped at once by a second signal');
      process.exit(128 + constants.signals[signal]);
    });
  }
}
