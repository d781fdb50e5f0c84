import type { ShellEnd, SshTarget } from './ssh.ts';

/** A program on a host. What nobody reads makes it wait, so each output that is not empty has to be read or cancelled. */
export interface Program {
  /** The host sets the pace. Closing it is the end of the input; aborting it ends the program. */
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  /**
   * How it ended, once both outputs have come to their end; a lost connection is told at once. Rejects with the reason of the
   * signal that ended it, or of its aborted input.
   */
  readonly ended: Promise<ShellEnd>;
}

export interface ProgramOptions {
  /** Aborting kills the program at any time; nothing else limits how long it runs. */
  readonly signal: AbortSignal;
}

export interface Programs {
  /**
   * Runs one command line, which the host gives to the shell of the account as it is (RFC 4254 §6.5), without a terminal. Throws
   * a Fault when the host cannot be reached or refuses.
   */
  run(target: SshTarget, command: string, options: ProgramOptions): Promise<Program>;
}
