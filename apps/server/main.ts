// First: schemas made before it is loaded cannot be in the API document.
import '@hono/zod-openapi';
import { CommanderError } from 'commander';
import { Fault } from '#core/errors.ts';
import { adviceOn, isFileTrouble } from '#db/database-trouble.ts';
import { DatabaseUnusable } from '#db/database-unusable.ts';
import { driverMessage } from '#db/driver-errors.ts';
import { createCli } from './cli/cli.ts';
import { CommandRefused, complain } from './cli/output.ts';
import { Cancelled } from './cli/passphrase.ts';
import { parseConfig } from './config/config.ts';
import { ConfigError } from './config/config-error.ts';
import { readEnvironment } from './config/environment.ts';
import { ListenFailed } from './http/listen.ts';

/** Errors only an operator can fix: reported in one line, without a stack. */
const STOPS = [CommandRefused, ConfigError, DatabaseUnusable, ListenFailed];
const USAGE = 2;
const CANCELLED = 130; // a shell's exit code after Ctrl-C

/** Runs one command and resolves to its exit code; `serve` resolves when the gateway has stopped. */
export async function run(args: readonly string[]): Promise<number> {
  let code = 0;
  const cli = createCli((exit_code) => {
    code = exit_code;
  });
  try {
    await cli.parseAsync(args.length === 0 ? ['serve'] : args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof Cancelled) return CANCELLED;
    if (error instanceof CommanderError) return misused(error, args);
    const reason = isStop(error) ? error.message : fileTrouble(error);
    if (reason === undefined) throw error;
    complain(reason);
    return 1;
  }
}

/** A database that could be opened, but is damaged or was replaced. */
function fileTrouble(error: unknown): string | undefined {
  if (!isFileTrouble(error)) return undefined;
  const { database_url } = parseConfig(readEnvironment());
  return `Cannot use the database ${database_url}: ${driverMessage(error)}${adviceOn(error)}`;
}

function isStop(error: unknown): error is Error {
  if (error instanceof Fault) return error.code !== 'internal';
  return STOPS.some((kind) => error instanceof kind);
}

/** Requested help arrives here too, with exit code 0. */
function misused({ code, exitCode, message }: CommanderError, args: readonly string[]): number {
  if (exitCode === 0) return 0;
  if (code !== 'commander.help') complain(`${complaint(code, message, args)}\nSee: sallyport help`);
  return USAGE;
}

function complaint(code: string, message: string, args: readonly string[]): string {
  const [first = '', ...suggestion] = message.replace(/^error: /, '').split('\n');
  const said =
    code === 'commander.unknownCommand' ? `Unknown command: ${args.join(' ')}` : capitalized(first);
  return [said, ...suggestion].join('\n');
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
