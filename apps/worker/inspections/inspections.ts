import { randomBytes } from 'node:crypto';
import type { Fault } from '#core/errors.ts';
import type { Inspections } from '#core/ports/inspections.ts';
import type { Clock } from '#core/ports/runtime.ts';
import { loginDisabled, passwordExpired } from '../ssh/account-words.ts';
import type { Connection } from '../ssh/connection.ts';
import type { Dialler } from '../ssh/dial/connect.ts';
import { commandLine, outputAfter } from './command.ts';
import { type Output, runProgram } from './program.ts';

interface Deps {
  readonly dialler: Dialler;
  readonly clock: Clock;
}

/** Each program has its own SSH connection, which ends with it. */
export function createInspections({ dialler, clock }: Deps): Inspections {
  return {
    async run(target, argv, request) {
      const marker = `sp-${randomBytes(16).toString('hex')}`;
      const command = commandLine(marker, argv);
      const connection = await dialler.connect(target, { signal: request.signal });
      try {
        const output = await runProgram(connection, command, { ...request, clock });
        const stdout = outputAfter(marker, output.stdout);
        if (stdout === undefined) throw notRun(connection, output);
        return {
          stdout,
          stderr: output.stderr,
          exit_code: output.exit_code,
          is_truncated: output.cut !== undefined,
        };
      } finally {
        connection.close();
      }
    },
  };
}

/** A forced command, an account that may not run anything, or a host without a POSIX shell. */
function notRun(connection: Connection, { stdout, stderr, cut }: Output): Fault {
  const said = `${stderr}\n${stdout}`;
  const known = passwordExpired(connection, said) ?? loginDisabled(connection, said);
  if (known) return known;
  if (cut === 'time') return connection.fault('operation_timeout', 'did not run a program in time');
  return connection.fault('shell_refused', 'runs no programs, or something else instead of them');
}
