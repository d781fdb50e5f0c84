import { Fault, type FaultCode } from '#core/errors.ts';
import type { Stage, StageNote } from '#core/model/hosts/connection-test.ts';
import type { HopConnection } from '#core/model/hosts/hop-connection.ts';
import type { HostKeyVerdict } from '#core/policy/host-key.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { SshHop } from '#core/ports/ssh.ts';

/** Observes the stages of a dial. */
export interface DialWatch {
  begin(stage: Stage, hop: SshHop): void;
  pass(note: StageNote): void;
  /** Called once the host has proved that it owns its key. */
  judge(verdict: HostKeyVerdict): void;
  /** Called then, too. */
  secured(connection: HopConnection): void;
  /** Called before a credential is sent. */
  offer(): void;
  /** What the host says before it lets the user in, as printable text. */
  banner(text: string, hop: SshHop): void;
}

export const UNWATCHED: DialWatch = {
  ...{ begin() {}, pass() {}, judge() {}, secured() {}, offer() {}, banner() {} },
};

/** The dial of one hop: its stage, its deadline, and the wording of its failures. */
export interface Attempt {
  readonly hop: SshHop;
  /** `host:port` for messages. */
  readonly address: string;
  /** A user chose the host: a message must neither quote it nor tell what its network refuses from what it drops. */
  readonly is_quick: boolean;
  readonly timeout_ms: number;
  /** Undefined for the gateway itself. */
  readonly user_id: number | undefined;
  /** Aborts with a Fault at the deadline, or with the caller's reason when the caller gives up. */
  readonly signal: AbortSignal;
  stage(): Stage;
  enter(stage: Stage): void;
  pass(note: StageNote): void;
  judge(verdict: HostKeyVerdict): void;
  secured(connection: Omit<HopConnection, 'hop'>): void;
  offer(): void;
  banner(text: string): void;
  fault(code: FaultCode, detail: string, cause?: unknown): Fault;
  /** Sets the Fault for the deadline from now on; undefined restores the plain timeout. */
  setTimeoutFault(fault: (() => Fault) | undefined): void;
  /** Pauses the deadline while the host is not to blame; the returned function resumes it. */
  hold(): () => void;
  finish(): void;
}

export interface AttemptOptions {
  readonly hop: SshHop;
  readonly user_id?: number | undefined;
  /** Whether a Fault must name the server in a chain. */
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
  const deadline = startDeadline(options, () => controller.abort(verdict()));
  if (signal.aborted) giveUp();
  else signal.addEventListener('abort', giveUp);

  return {
    hop,
    address,
    is_quick: hop.quick_user_id !== undefined,
    timeout_ms: options.timeout_ms,
    user_id: options.user_id,
    signal: controller.signal,
    stage: () => stage,
    enter(next) {
      stage = next;
      watch.begin(next, hop);
    },
    pass: (note) => watch.pass(note),
    judge: (verdict) => watch.judge(verdict),
    secured: (connection) => watch.secured({ hop: hop.name, ...connection }),
    offer: () => watch.offer(),
    banner: (text) => watch.banner(text, hop),
    fault,
    setTimeoutFault(explain) {
      verdict = explain ?? timedOut;
    },
    hold: deadline.hold,
    finish() {
      deadline.cancel();
      signal.removeEventListener('abort', giveUp);
    },
  };
}

/** Waits without using up the deadline of the attempt. */
export async function offTheClock<T>(attempt: Attempt, wait: () => Promise<T>): Promise<T> {
  const resume = attempt.hold();
  try {
    return await wait();
  } finally {
    resume();
  }
}

interface Deadline {
  hold(): () => void;
  cancel(): void;
}

function startDeadline(
  { clock, timeout_ms }: Pick<AttemptOptions, 'clock' | 'timeout_ms'>,
  expire: () => void,
): Deadline {
  let left_ms = timeout_ms;
  let since_ms = clock.elapsed_ms();
  let cancelTimer = clock.after(left_ms, expire);
  let is_over = false;
  return {
    hold() {
      cancelTimer();
      left_ms -= clock.elapsed_ms() - since_ms;
      let held = true;
      return () => {
        if (!held || is_over) return;
        held = false;
        since_ms = clock.elapsed_ms();
        cancelTimer = clock.after(Math.max(0, left_ms), expire);
      };
    },
    cancel() {
      is_over = true;
      cancelTimer();
    },
  };
}

export function addressOf({ hostname, port }: Pick<SshHop, 'hostname' | 'port'>): string {
  return hostname.includes(':') ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

/** Unlike `AbortSignal.any` on Node 20, leaks nothing in a long-lived source. */
export function forwardAbort(source: AbortSignal | undefined, follower: AbortController): () => void {
  const abort = () => follower.abort(source?.reason);
  if (source?.aborted) abort();
  else source?.addEventListener('abort', abort);
  return () => source?.removeEventListener('abort', abort);
}
