import type { ClientChannel } from 'ssh2';
import type { InspectionRequest } from '#core/ports/inspections.ts';
import type { Clock } from '#core/ports/runtime.ts';
import { enforceWindow } from '../ssh/channels/window.ts';
import type { Connection } from '../ssh/connection.ts';
import { killProgram } from '../ssh/internals/channel-signals.ts';

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code: number | null;
  /** Why it was ended before its own end. */
  readonly cut: 'bytes' | 'time' | undefined;
}

/** Runs a command line without a terminal or input, and ends it with the time, the bytes or the signal. */
export function runProgram(
  connection: Connection,
  command: string,
  { signal, timeout_ms, limit_bytes, clock }: InspectionRequest & { readonly clock: Clock },
): Promise<Output> {
  return new Promise((resolve, reject) => {
    const kept = createKept(limit_bytes);
    let channel: ClientChannel | undefined;
    let exit_code: number | null = null;
    let is_over = false;
    let unlisten = () => {};
    function end(settle: () => void): void {
      if (is_over) return;
      is_over = true;
      cancel();
      unlisten();
      signal.removeEventListener('abort', abort);
      if (channel) killProgram(channel); // without a terminal, it would outlive its channel
      settle();
    }
    const finish = (cut: Output['cut']) =>
      end(() => resolve({ ...kept.texts(), exit_code: cut ? null : exit_code, cut }));
    const abort = () => end(() => reject(signal.reason));
    const cancel = clock.after(timeout_ms, () => finish('time'));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) return abort();
    unlisten = connection.onEnd((fault) => end(() => reject(fault)));
    if (is_over) return;

    function listen(opened: ClientChannel): void {
      channel = opened;
      if (is_over) {
        killProgram(opened);
        return;
      }
      const take = (stream: 'stdout' | 'stderr') => (bytes: Buffer) => {
        kept.add(stream, bytes);
        if (kept.isFull()) finish('bytes');
      };
      const violated = () =>
        connection.close(connection.fault('ssh_protocol', 'sent more data than its window allows'));
      enforceWindow(opened, violated);
      opened.on('error', () => {}); // `close` reports the end
      opened.on('exit', (code: number | null) => {
        exit_code = code;
      });
      opened.on('data', take('stdout')).stderr.on('data', take('stderr'));
      opened.on('close', () => finish(undefined));
      opened.end();
    }
    try {
      connection.client.exec(command, (error, opened) => {
        if (!error) return listen(opened);
        end(() => reject(connection.fault('shell_refused', 'refuses to run programs', error)));
      });
    } catch (error) {
      end(() => reject(connection.fault('shell_refused', 'was lost before a program ran', error)));
    }
  });
}

function createKept(limit_bytes: number) {
  const pieces = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  let left = limit_bytes;
  const textOf = (stream: readonly Buffer[]) => new TextDecoder().decode(Buffer.concat(stream));
  return {
    add(stream: keyof typeof pieces, bytes: Buffer): void {
      // A copy: ssh2's buffer holds the whole packet, which a hostile host fills up behind a single byte of output.
      pieces[stream].push(Buffer.from(bytes.subarray(0, Math.max(0, left))));
      left -= bytes.length;
    },
    isFull: () => left < 0,
    texts: () => ({ stdout: textOf(pieces.stdout), stderr: textOf(pieces.stderr) }),
  };
}
