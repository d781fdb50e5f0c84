import { setMaxListeners } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { Fault, type FaultCode, type FaultOptions } from '#core/errors.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type {
  Ask,
  HostKeys,
  PresentedHostKey,
  PtySize,
  Shell,
  ShellEnd,
  ShellRequest,
  SshHop,
  SshTarget,
} from '#core/ports/ssh.ts';
import { systemClock } from '#server/lib/clock.ts';
import { createWorker, type Worker, type WorkerOptions } from '#worker/worker.ts';
import type { Sshd } from '../support/hosts/sshd.ts';

export const SIZE: PtySize = { cols: 80, rows: 24 };
export const NEVER = crowdAbort().signal;

/** For a signal that many share at once: Node warns of more than ten listeners, as it would of a leak. */
export function crowdAbort(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** An unexpected prompt fails the test. */
export const NOBODY: Ask = async ({ instructions }) => {
  throw new Error(`Nobody is here to answer: ${instructions}`);
};

export function request(changes: Partial<ShellRequest> = {}): ShellRequest {
  return { size: SIZE, signal: NEVER, ask: NOBODY, ...changes };
}

export interface SeenKeys extends HostKeys {
  readonly seen: { readonly hop: string; readonly key: PresentedHostKey }[];
}

/** Trusts every key and remembers which host presented which. */
export function trustAll(): SeenKeys {
  const seen: SeenKeys['seen'] = [];
  return {
    seen,
    async judge(hop, key) {
      seen.push({ hop: hop.name, key });
      return 'trust';
    },
    async pin() {},
    secured() {},
    announced() {},
  };
}

/** The test judges host keys; first contact pins nothing. */
export function judging(judge: HostKeys['judge']): HostKeys {
  return { judge, async pin() {}, secured() {}, announced() {} };
}

/** The clock stands still until the test moves it. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
}

export function manualClock(): ManualClock {
  const timers = new Set<{ at_ms: number; run: () => void }>();
  let now_ms = Date.now();
  return {
    now: () => new Date(now_ms),
    elapsed_ms: () => now_ms,
    after(delay_ms, run) {
      const timer = { at_ms: now_ms + delay_ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      now_ms += ms;
      for (const timer of timers) {
        if (timer.at_ms > now_ms) continue;
        timers.delete(timer);
        timer.run();
      }
    },
  };
}

const workers: Worker[] = [];

afterEach(() => {
  for (const worker of workers.splice(0)) worker.close();
});

/** A worker that stops with the test. */
export function worker(options: Partial<WorkerOptions> = {}): Worker {
  const created = createWorker({
    host_keys: trustAll(),
    clock: systemClock,
    connect_timeout_ms: 30_000,
    recordings_dir: join(tmpdir(), 'sallyport-no-recordings'),
    ...options,
  });
  workers.push(created);
  return created;
}

/** A server record that was never connected. */
export const FRESH = { algorithms: 'default', known_host_keys: [], revision: '1' } as const;

export function hopTo(sshd: Sshd, changes: Partial<SshHop> = {}): SshHop {
  const { port, username, password } = sshd;
  const auth = { method: 'password', password } as const;
  const place = { server_id: 1, name: 'web-1', hostname: '127.0.0.1', port };
  return { ...place, username, auth, ...FRESH, ...changes };
}

export function targetTo(sshd: Sshd, changes: Partial<SshHop> = {}): SshTarget {
  return { hops: [hopTo(sshd, changes)] };
}

export interface Failure {
  readonly code: FaultCode;
  readonly detail: string;
  readonly stage: FaultOptions['stage'];
  readonly hop: string | undefined;
}

/** The Fault of a rejected promise, with the fields a client sees. */
export async function failureOf(work: Promise<unknown>): Promise<Failure> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { code: error.code, detail: error.detail, stage: error.options.stage, hop: error.options.hop };
  }
  throw new Error('It succeeded');
}

/** A started shell whose output is collected. */
export interface Screen {
  readonly shell: Shell;
  text(): string;
  bytes(): Buffer;
  /** Resolves once the output contains this. */
  shows(text: string): Promise<void>;
  readonly ended: Promise<ShellEnd>;
  type(text: string): void;
  ends(): number;
}

export function watch(shell: Shell): Screen {
  const chunks: Uint8Array[] = [];
  const waiting = new Set<() => void>();
  const bytes = () => Buffer.concat(chunks);
  const text = () => bytes().toString();
  let ends = 0;
  const ended = new Promise<ShellEnd>((resolve) => {
    shell.start({
      data(bytes) {
        chunks.push(bytes);
        for (const check of waiting) check();
      },
      drain() {},
      end(end) {
        ends += 1;
        resolve(end);
      },
    });
  });
  return {
    shell,
    text,
    ended,
    bytes,
    ends: () => ends,
    type: (input) => void shell.write(Buffer.from(input)),
    shows: (wanted) =>
      new Promise((resolve) => {
        const check = () => {
          if (!text().includes(wanted)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}
