import { Fault, type FaultCode, type Stage } from '#core/errors.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { SshHop } from '#core/ports/ssh.ts';

/** Told of every stage as it begins and as it is passed. */
export interface DialWatch {
  begin(stage: Stage, hop: SshHop): void;
  pass(detail: string): void;
}

/** One hop being dialled: where it stands, until when, and how its failures are worded. */
export interface Attempt {
  readonly hop: SshHop;
  /** `host:port`, as people write it. */
  readonly address: string;
  /** Aborts at the deadline, with a Fault, or when the caller gives up, with the caller's reason. */
  readonly signal: AbortSignal;
  stage(): Stage;
  enter(stage: Stage): void;
  pass(detail: string): void;
  fault(code: FaultCode, detail: string, cause?: unknown): Fault;
  /** What a passed deadline means from now on; undefined for a plain time-out. */
  blame(fault: (() => Fault) | undefined): void;
  finish(): void;
}

export interface AttemptOptions {
  readonly hop: SshHop;
  /** Whether a fault must say at which server of a chain it happened. */
  readonly in_chain: boolean;
  readonly clock: Clock;
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
  readonly watch: DialWatch;
}

export function startAttempt(options: AttemptOptions): Attempt {
  const { hop, signal, watch } = options;
  const address = addressOf(hop);
  const controller = new AbortController();
  let stage: Stage = 'resolve';
  const fault = (code: FaultCode, detail: string, cause?: unknown) =>
    new Fault(code, detail, { stage, cause, ...(options.in_chain && { hop: hop.name }) });
  const timedOut = () =>
    fault('connect_timeout', `${address} was not ready within ${seconds(options.timeout_ms)}`);
  let verdict = timedOut;

  const giveUp = () => controller.abort(signal.reason);
  const cancelDeadline = options.clock.after(options.timeout_ms, () => controller.abort(verdict()));
  if (signal.aborted) giveUp();
  else signal.addEventListener('abort', giveUp);

  return {
    hop,
    address,
    signal: controller.signal,
    stage: () => stage,
    enter(next) {
      stage = next;
      watch.begin(next, hop);
    },
    pass: (detail) => watch.pass(detail),
    fault,
    blame(explain) {
      verdict = explain ?? timedOut;
    },
    finish() {
      cancelDeadline();
      signal.removeEventListener('abort', giveUp);
    },
  };
}

export function addressOf({ hostname, port }: Pick<SshHop, 'hostname' | 'port'>): string {
  return hostname.includes(':') ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

type Settle<T> = (value: T) => void;

/** A promise that an abort rejects at once; `start` returns what undoes the work that is under way. */
export function untilAborted<T>(
  signal: AbortSignal,
  start: (resolve: Settle<T>, reject: Settle<unknown>) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    let undo = () => {};
    const onAbort = () => {
      undo();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const settled = () => signal.removeEventListener('abort', onAbort);
    undo = start(
      (value) => {
        settled();
        resolve(value);
      },
      (reason) => {
        settled();
        reject(reason);
      },
    );
  });
}
