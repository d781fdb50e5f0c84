import { cpuSeconds } from './processor.ts';
import type { Terminal } from './terminal-clients.ts';

const BATCH = 20;
const TAIL_BYTES = 512; // Control sequences of the prompt may follow a mark.
const OVERDUE_MS = 60_000;

export function firstOutput(terminal: Terminal): Promise<void> {
  return soon(terminal, 'the first output', () => true);
}

/** A shell without a prompt, so that only the measured output comes back. */
export async function ready(terminal: Terminal): Promise<Terminal> {
  await firstOutput(terminal);
  const seen = sees(terminal, 'READY-2');
  terminal.write("PS1=''; stty -echo -opost; echo READY-$((1 + 1))\r");
  await seen;
  return terminal;
}

/** Opens many, a few at a time. */
export async function readyMany(count: number, open: () => Terminal): Promise<Terminal[]> {
  const terminals: Terminal[] = [];
  while (terminals.length < count) {
    const batch = Array.from({ length: Math.min(BATCH, count - terminals.length) }, () => ready(open()));
    terminals.push(...(await Promise.all(batch)));
  }
  return terminals;
}

/** Resolves when a mark arrives; searches only after this many bytes. */
export function sees(terminal: Terminal, mark: string, after_bytes = 0): Promise<void> {
  let total = 0;
  let tail = '';
  return soon(terminal, mark, (bytes) => {
    total += bytes.length;
    if (total < after_bytes) return false;
    tail = (tail + bytes.subarray(-TAIL_BYTES).toString('latin1')).slice(-TAIL_BYTES);
    return tail.includes(mark);
  });
}

/** Resolves when this many bytes have arrived. */
export function receives(terminal: Terminal, bytes: number): Promise<void> {
  let total = 0;
  return soon(terminal, `${bytes} bytes`, ({ length }) => {
    total += length;
    return total >= bytes;
  });
}

function soon(terminal: Terminal, what: string, isIt: (bytes: Buffer) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const overdue = setTimeout(() => reject(new Error(`A terminal lacks ${what}`)), OVERDUE_MS);
    const settle = (then: () => void) => {
      clearTimeout(overdue);
      then();
    };
    terminal.listen(
      (bytes) => {
        if (isIt(bytes)) settle(resolve);
      },
      (error) => settle(() => reject(error)),
    );
  });
}

export interface Text {
  readonly path: string;
  readonly bytes: number;
}

export interface Flood {
  readonly mb_per_s: number;
  /** The process between the user and the host. */
  readonly cpu_s_per_gb: number;
}

/** `cat` of a long text. */
export async function flood(terminal: Terminal, { path, bytes }: Text): Promise<Flood> {
  const cpu_s = cpuSeconds(terminal.pid);
  const started = performance.now();
  const done = sees(terminal, 'DONE-4', bytes);
  terminal.write(`cat ${path}; echo DONE-$((2 + 2))\r`);
  await done;
  const ms = performance.now() - started;
  return {
    mb_per_s: bytes / 1000 / ms,
    cpu_s_per_gb: ((cpuSeconds(terminal.pid) - cpu_s) * 1e9) / bytes,
  };
}
