import type { InspectionRequest } from '#core/ports/inspections.ts';
import type { Clock } from '#core/ports/runtime.ts';
import { startProgram } from '../programs/start.ts';
import { forwardAbort } from '../ssh/attempt.ts';
import type { Connection } from '../ssh/connection.ts';

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code: number | null;
  /** Why it was ended before its own end. */
  readonly cut: 'bytes' | 'time' | undefined;
}

/** Runs a command line without a terminal or input, and ends it with the time, the bytes or the signal. */
export async function runProgram(
  connection: Connection,
  command: string,
  { signal, timeout_ms, limit_bytes, clock }: InspectionRequest & { readonly clock: Clock },
): Promise<Output> {
  const kept = createKept(limit_bytes);
  const stop = new AbortController();
  const unfollow = forwardAbort(signal, stop);
  let cut: Output['cut'];
  function end(why: Output['cut']): void {
    if (stop.signal.aborted) return;
    cut = why;
    stop.abort(new Error('The inspection was cut off'));
  }
  const cancel = clock.after(timeout_ms, () => end('time'));
  try {
    const { stdin, stdout, stderr, ended } = await startProgram(connection, command, stop.signal);
    stdin.close().catch(() => {}); // a program that has ended needs none
    const keep = async (name: 'stdout' | 'stderr', stream: ReadableStream<Uint8Array>) => {
      for await (const bytes of stream) {
        kept.add(name, bytes);
        if (kept.isFull()) end('bytes');
      }
    };
    const [exit] = await Promise.all([ended, keep('stdout', stdout), keep('stderr', stderr)]);
    if (exit.kind === 'lost') throw exit.fault;
    return { ...kept.texts(), exit_code: exit.code, cut: undefined };
  } catch (error) {
    if (cut === undefined) throw error;
    return { ...kept.texts(), exit_code: null, cut };
  } finally {
    cancel();
    unfollow();
  }
}

function createKept(limit_bytes: number) {
  const pieces = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  let left = limit_bytes;
  const textOf = (stream: readonly Uint8Array[]) => new TextDecoder().decode(Buffer.concat(stream));
  return {
    add(stream: keyof typeof pieces, bytes: Uint8Array): void {
      pieces[stream].push(bytes.subarray(0, Math.max(0, left)));
      left -= bytes.length;
    },
    isFull: () => left < 0,
    texts: () => ({ stdout: textOf(pieces.stdout), stderr: textOf(pieces.stderr) }),
  };
}
