import type { ClientChannel } from 'ssh2';
import type { Fault } from '#core/errors.ts';
import { printableLines } from '#core/lib/text/printable.ts';
import type { Clock } from '#core/ports/runtime.ts';
import { loginDisabled, passwordExpired } from '../../ssh/account-words.ts';
import type { Connection } from '../../ssh/connection.ts';
import { PROTOCOL_VERSION, VERSION } from './wire.ts';

const SFTP_VERSION = Buffer.from([VERSION, 0, 0, 0, PROTOCOL_VERSION]); // follows the length of its packet
const LENGTH_BYTES = 4;
const MAX_SEEN_BYTES = 2048;
const MAX_QUOTED_BYTES = 200;
const LAST_WORDS_MS = 1000; // for the exit code of a program that has ended
const NO_SUCH_PROGRAM = 127;
const HARMLESS_PROGRAM = '/bin/true'; // a restricted shell refuses it, as it refuses the SFTP program

/** What the host sends instead of SFTP, before SFTP has begun. */
export interface Start {
  /** Stops watching: SFTP has begun. */
  begun(): void;
  has_begun(): boolean;
  /** Ends the input and resolves when the program on the host has ended, or after a second. */
  lastWords(): Promise<void>;
  /** Why SFTP did not begin. */
  fault(connection: Connection, cause: unknown): Promise<Fault>;
}

export function watchStart(stream: ClientChannel, clock: Clock): Start {
  const out = createHead();
  let exit_code: number | null | undefined;
  let has_begun = false;
  const onExit = (code?: number | null) => {
    exit_code = code;
  };
  // A program that ends at once may have reported its exit before anybody listened; `close` repeats the code.
  const ended = new Promise<void>((resolve) => {
    stream.once('close', (code?: number | null) => {
      onExit(code);
      resolve();
    });
  });
  stream.on('data', out.add).on('exit', onExit);
  return {
    begun() {
      has_begun = true;
      stream.off('data', out.add).off('exit', onExit);
    },
    has_begun: () => has_begun,
    async lastWords() {
      stream.end();
      await within(clock, ended);
    },
    async fault(connection, cause) {
      const has_failed = exit_code !== undefined && exit_code !== 0;
      const is_silent = has_failed && exit_code !== NO_SUCH_PROGRAM && out.text() === '';
      const err = is_silent ? await complaint(connection, clock) : '';
      return startFault({ connection, out: out.text(), err, has_failed, cause });
    },
  };
}

/** What the host says on stderr to a program that does nothing: sshd drops the stderr of a subsystem. */
function complaint({ client }: Connection, clock: Clock): Promise<string> {
  const err = createHead();
  const asked = new Promise<void>((resolve) => {
    try {
      client.exec(HARMLESS_PROGRAM, (error, channel) => {
        if (error) return resolve();
        channel.on('error', () => {}).once('close', resolve);
        channel.stderr.on('data', err.add);
        channel.resume().end();
        cancel = () => channel.close();
      });
    } catch {
      resolve(); // ssh2 throws when its socket is gone
    }
  });
  let cancel = () => {};
  return within(clock, asked).then(() => {
    cancel();
    return err.text();
  });
}

async function within(clock: Clock, work: Promise<void>): Promise<void> {
  let cancel = () => {};
  const late = new Promise<void>((resolve) => {
    cancel = clock.after(LAST_WORDS_MS, resolve);
  });
  await Promise.race([work, late]);
  cancel();
}

function createHead() {
  let seen = Buffer.alloc(0);
  return {
    add(bytes: Buffer): void {
      const room = MAX_SEEN_BYTES - seen.length;
      if (room > 0) seen = Buffer.concat([seen, bytes.subarray(0, room)]);
    },
    text() {
      const at = seen.indexOf(SFTP_VERSION);
      return seen.toString('utf8', 0, at < 0 ? seen.length : Math.max(0, at - LENGTH_BYTES));
    },
  };
}

interface Failure {
  readonly connection: Connection;
  readonly out: string;
  readonly err: string;
  readonly has_failed: boolean;
  readonly cause: unknown;
}

const RESTRICTED = /: restricted\b/; // the word of bash; others are quoted as they are

function startFault({ connection, out, err, has_failed, cause }: Failure): Fault {
  const { username } = connection.hop;
  const said = `${err}\n${out}`;
  const expired = passwordExpired(connection, said, cause);
  if (expired) return expired;
  if (has_failed && RESTRICTED.test(err)) {
    const what = `gives user ${username} a restricted shell, which may not start SFTP`;
    return connection.fault('restricted_shell', what, cause);
  }
  const disabled = has_failed ? loginDisabled(connection, said, cause) : undefined;
  if (disabled) return disabled;
  const quote = printableLines(out.trim() || err.trim(), MAX_QUOTED_BYTES).replaceAll('\n', ' ');
  if (!has_failed && out !== '') return connection.fault('startup_output', printed(quote), cause);
  if (has_failed && out !== '') {
    return connection.fault('sftp_refused', `ran another program instead of SFTP: “${quote}”`, cause);
  }
  const reason = quote === '' ? '' : `: “${quote}”`;
  return connection.fault('sftp_unavailable', `offers no SFTP subsystem${reason}`, cause);
}

function printed(quote: string): string {
  return `prints text before SFTP starts: “${quote}”. A start-up file of the account, such as ~/.bashrc, must print nothing without a terminal`;
}
