import { DEFAULT_ADMIN } from '#core/services/bootstrap.ts';
import { DatabaseUnusable } from '#db/database-unusable.ts';
import { ResetRefused, resetPassword } from './admin-reset.ts';
import { describeVerdict, verifyAuditLog } from './audit-verify.ts';
import { ConfigError, describeConfig, parseConfig, readEnvironment } from './config.ts';
import { ListenFailed } from './listen.ts';
import { openApiDocument } from './openapi.ts';
import { serve } from './serve.ts';
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
