import { networkInterfaces } from 'node:os';
import { createLog } from './adapters/log.ts';
import { composeGateway, type Gateway } from './compose.ts';
import { type Config, parseConfig, readEnvironment, unknownVariables } from './config.ts';
import { type Listener, listen } from './listen.ts';
import { readVersion } from './version.ts';

const UNVERIFIED =
  'SERVICE_VERIFY_HOST_KEYS is off: host keys are neither checked nor pinned, and whoever is in between can read everything';

/** Runs the gateway until it is told to stop; resolves to the exit code. */
export async function serve(): Promise<number> {
  const environment = readEnvironment();
  const config = parseConfig(environment);
  const log = createLog({ level: config.log_level, format: config.log_format });
  for (const name of unknownVariables(environment)) log.warn({ name }, `Unknown variable ${name} is ignored`);
  if (!config.verify_host_keys) log.warn({}, UNVERIFIED);
  const gateway = await composeGateway(config, log);
  const listener = await listen(gateway, config);
  const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${listener.port}${config.root_path}/`;
  await firstStart(gateway, listener, {
    url,
    demo_mode: config.demo_mode,
    reached_at: reachedAt(config, listener),
  });
  log.info({ version: readVersion(), instance_id: config.instance_id }, `Sallyport is listening on ${url}`);
  await stopSignal();
  log.info({}, 'Stopping');
  gateway.windDown();
  await listener.close();
  await gateway.close();
  return 0;
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
  console.log(
    `\n  First start. Sign in at ${url}\n  user name: admin\n  password:  ${password}\n  ${when}\n`,
  );
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
