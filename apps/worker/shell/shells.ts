import type { ClientChannel } from 'ssh2';
import { Fault } from '#core/errors.ts';
import { abortable } from '#core/lib/time/deadline.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type {
  PtySize,
  Shell,
  ShellEnd,
  ShellListener,
  ShellRequest,
  Shells,
  SshTarget,
  TerminalKind,
} from '#core/ports/ssh.ts';
import { type DialWatch, UNWATCHED } from '../ssh/attempt.ts';
import { enforceWindow } from '../ssh/channels/window.ts';
import type { Connection } from '../ssh/connection.ts';
import type { Dialler } from '../ssh/dial/connect.ts';
import { encodedShell } from './encoded-shell.ts';

const DEFAULT: TerminalKind = { type: 'xterm-256color', encoding: 'utf-8' };

export interface ShellsOptions {
  readonly dialler: Dialler;
  readonly clock: Clock;
  readonly open_timeout_ms: number;
  /** `LANG` for the shell, if the host accepts it (AcceptEnv) and sets none itself. */
  readonly lang: string | undefined;
}

/** Each shell has its own SSH connection, which ends with it. */
export function createShells({ dialler, clock, open_timeout_ms, lang }: ShellsOptions): Shells {
  return {
    async open(target, { size, terminal = DEFAULT, signal, ask, watch, banner, secured }) {
      const connection = await dialler.connect(target, {
        signal,
        ask,
        watch: reporting(target, { watch, banner, secured }),
      });
      const overdue = () =>
        connection.close(connection.fault('operation_timeout', 'did not open a shell in time'));
      const cancel = clock.after(open_timeout_ms, overdue);
      try {
        watch?.('shell', undefined);
        const channel = await openChannel(connection, { size, signal, lang, terminal });
        return encodedShell(toShell(connection, channel), terminal.encoding);
      } catch (error) {
        connection.close();
        throw error;
      } finally {
        cancel();
      }
    },
  };
}

function reporting(
  { hops }: SshTarget,
  { watch, banner, secured }: Pick<ShellRequest, 'watch' | 'banner' | 'secured'>,
): DialWatch {
  return {
    ...UNWATCHED,
    begin: (stage, { name }) => watch?.(stage, hops.length > 1 ? name : undefined),
    banner: (text, { name }) => banner?.({ name, text }),
    secured: (connection) => secured?.(connection),
  };
}

interface ShellChannel {
  readonly size: PtySize;
  readonly signal: AbortSignal;
  readonly lang: string | undefined;
  readonly terminal: TerminalKind;
}

function openChannel(
  connection: Connection,
  { size: { cols, rows }, signal, lang, terminal: { type, encoding } }: ShellChannel,
): Promise<ClientChannel> {
  const env = lang === undefined || encoding !== 'utf-8' ? {} : { LANG: lang }; // it names UTF-8
  return abortable(signal, (resolve, reject) => {
    const unlisten = connection.onEnd((fault) => reject(shellFault(fault)));
    try {
      connection.client.shell({ term: type, cols, rows }, { env }, (error, channel) => {
        unlisten();
        if (error) reject(connection.fault('shell_refused', 'refused to open a shell', error));
        else resolve(channel);
      });
    } catch (error) {
      reject(connection.fault('shell_refused', 'was lost before a shell was open', error));
    }
    return unlisten;
  });
}

function shellFault(fault: Fault): Fault {
  return new Fault(fault.code, fault.detail, { ...fault.options, stage: 'shell' });
}

function toShell(connection: Connection, channel: ClientChannel): Shell {
  const end = watchEnd(connection, channel);
  enforceWindow(channel, () => {
    const fault = connection.fault('ssh_protocol', 'sent more data than its window allows');
    end.give({ kind: 'lost', fault });
    connection.close(fault);
  });
  return {
    start(listener) {
      channel.on('data', (bytes: Buffer) => listener.data(bytes));
      channel.stderr.on('data', (bytes: Buffer) => listener.data(bytes));
      channel.on('drain', () => listener.drain());
      end.tell(listener);
    },
    write: (bytes) => !channel.writable || channel.write(bytes),
    resize: ({ cols, rows }) => channel.setWindow(rows, cols, 0, 0),
    // A paused stream fills up, then its window does, and the remote program blocks in its next write.
    pause() {
      channel.pause();
      channel.stderr.pause();
    },
    resume() {
      channel.resume();
      channel.stderr.resume();
    },
    close() {
      end.give({ kind: 'exit', code: null, signal: null });
      connection.close();
    },
  };
}

interface EndWatch {
  tell(listener: ShellListener): void;
  give(end: ShellEnd): void;
}

/** Reports the end once, after both streams are read to the end and the channel is closed. */
function watchEnd(connection: Connection, channel: ClientChannel): EndWatch {
  let exit: ShellEnd | undefined;
  let ended: ShellEnd | undefined;
  let listener: ShellListener | undefined;
  const give = (end: ShellEnd) => {
    if (ended) return;
    ended = end;
    channel.removeAllListeners('data');
    channel.stderr.removeAllListeners('data');
    listener?.end(end);
  };
  channel.on('error', () => {}); // a write to a closing channel; `close` reports the end
  channel.on('exit', (code: number | null, signal?: string) => {
    exit = { kind: 'exit', code, signal: signal ?? null };
  });
  void Promise.all([closed(channel), closed(channel.stderr)]).then(() => {
    const fault = connection.ended();
    give(exit ?? (fault ? { kind: 'lost', fault } : { kind: 'exit', code: null, signal: null }));
    connection.close();
  });
  return {
    give,
    tell(to) {
      listener = to;
      if (ended) to.end(ended);
    },
  };
}

function closed(stream: NodeJS.EventEmitter): Promise<void> {
  return new Promise((resolve) => stream.once('close', resolve));
}
