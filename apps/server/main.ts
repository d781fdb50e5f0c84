import { networkInterfaces } from 'node:os';
import { DEFAULT_ADMIN } from '#core/services/bootstrap.ts';
import { DatabaseUnusable } from '#db/database-unusable.ts';
import { createLog } from './adapters/log.ts';
import { ResetRefused, resetPassword } from './admin-reset.ts';
import { describeVerdict, verifyAuditLog } from './audit-verify.ts';
import { composeGateway, type Gateway } from './compose.ts';
import {
  type Config,
  ConfigError,
  describeConfig,
  parseConfig,
  readEnvironment,
  unknownVariables,
} from './config.ts';
import { type Listener, ListenFailed, listen } from './listen.ts';
import { openApiDocument } from './openapi.ts';
import { readVersion } from './version.ts';

const HELP = `Sallyport, a web SSH and SFTP gateway

Usage: sallyport [command]

  serve           run the gateway (the default)
  admin reset-password [name]
                  give a local user (admin, if none is named) a new password, printed once; ends the lock,
                  enables the account, switches its second factor off
  config          print the configuration in force, secrets masked
  audit verify    hold the audit log against its hash chains; exit code 3 when it is not whole
  openapi         print the OpenAPI document
  version         print the version
  help            print this

Configuration is read from SERVICE_* environment variables; the README lists them.`;

const UNVERIFIED =
  'SERVICE_VERIFY_HOST_KEYS is off: host keys are neither checked nor pinned, and whoever is in between can read everything';

const NOT_WHOLE = 3; // exit code; 1 and 2 say that nothing could be told

/** What an operator can mend: one line says it, a stack would not. */
const STOPS = [ConfigError, DatabaseUnusable, ListenFailed, ResetRefused];

/** Runs one command; resolves to the exit code, or never while the gateway serves. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    const [area, verb, name, ...rest] = args;
    const is_reset = area === 'admin' && verb === 'reset-password' && rest.length === 0;
    if (is_reset && !name?.startsWith('-')) return await adminReset(name);
    return await dispatch(args.length === 0 ? 'serve' : args.join(' '));
  } catch (error) {
    if (!STOPS.some((kind) => error instanceof kind) || !(error instanceof Error)) throw error;
    console.error(error.message);
    return 1;
  }
}

async function dispatch(command: string): Promise<number> {
  switch (command) {
    case 'serve':
      return serve();
    case 'config':
      console.log(describeConfig(readEnvironment()));
      return 0;
    case 'audit verify':
      return auditVerify();
    case 'openapi':
      console.log(JSON.stringify(openApiDocument(), null, 2));
      return 0;
    case 'version':
    case '--version':
      console.log(readVersion());
      return 0;
    case 'help':
    case '--help':
    case '-h':
      console.log(HELP);
      return 0;
    default:
      return usage(`Unknown command: ${command}`);
  }
}

function usage(complaint: string): number {
  console.error(`${complaint}\n\n${HELP}`);
  return 2;
}

async function adminReset(username = DEFAULT_ADMIN): Promise<number> {
  const config = parseConfig(readEnvironment());
  const password = await resetPassword(config, username);
  console.log(
    `New password of ${username}: ${password}\nIt must be changed at the next sign-in. (shown only now)`,
  );
  return 0;
}

async function auditVerify(): Promise<number> {
  const verdict = await verifyAuditLog(parseConfig(readEnvironment()));
  console.log(describeVerdict(verdict));
  return verdict.ok ? 0 : NOT_WHOLE;
}

async function serve(): Promise<number> {
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
