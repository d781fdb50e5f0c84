import type { SshTarget } from './ssh.ts';

export interface InspectionRequest {
  readonly signal: AbortSignal;
  readonly timeout_ms: number;
  /** How much is read of both outputs together. */
  readonly limit_bytes: number;
}

export interface Inspected {
  readonly stdout: string;
  readonly stderr: string;
  /** Null when a signal ended the program, or the output was cut. */
  readonly exit_code: number | null;
  readonly is_truncated: boolean;
}

/** Runs programs that only look. */
export interface Inspections {
  /**
   * Runs one program with exact arguments, without a terminal or input; each argument is quoted for a POSIX shell (RFC 4254 §6.5
   * gives the host one string). Ends it with the request. Throws a Fault when the host cannot be reached or refuses.
   */
  run(
    target: SshTarget,
    argv: readonly [string, ...string[]],
    request: InspectionRequest,
  ): Promise<Inspected>;
}
