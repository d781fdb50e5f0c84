import type { CastPosition, ShellKeeping } from './keeping.ts';
import type { PtySize, Shell } from './ssh.ts';

/** On the monotonic clock of this process. */
export interface OutputTime {
  readonly offset: number;
  readonly at_ms: number;
}

export interface KeptOutput {
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** Ordered by offset, at least one. */
  readonly sizes: readonly (PtySize & OutputTime)[];
  /** When the output that the recording has not confirmed arrived; ordered. */
  readonly times: readonly OutputTime[];
}

/** A shell of an earlier gateway. What has arrived since comes with `start`. */
export interface AdoptedShell {
  readonly about: string;
  readonly shell: Shell & { readonly keeping: ShellKeeping };
  readonly output: KeptOutput;
  readonly recorded: CastPosition | undefined;
  /** For how long no gateway has been connected. */
  readonly unheld_ms: number;
}

export interface ShellKeeper {
  /**
   * Passes each shell that no gateway holds to `adopt`, also those that another gateway lets go of later; one that cannot be
   * adopted is closed. Resolves when all that are there now have been passed.
   */
  adoptAll(adopt: (shell: AdoptedShell) => Promise<void>): Promise<void>;
}
