/** How far a recording has been written. */
export interface CastPosition {
  /** Offset in the output of the shell: everything before it is in the file. */
  readonly offset: number;
  /** Length of the file at that time. */
  readonly size_bytes: number;
}

/** What the next gateway needs to continue with a shell. */
export interface KeptNote {
  /** Opaque for the keeper, at most 16 KiB. */
  readonly about: string;
  /** How long the shell runs on while no gateway is connected. */
  readonly keep_ms: number;
  /** Output that the recording has not confirmed is kept, and the shell is paused when that is too much. */
  readonly is_recorded: boolean;
}

/** A shell in a keeper: it goes on when this process ends. */
export interface ShellKeeping {
  note(note: KeptNote): void;
  recorded(position: CastPosition): void;
  /** The shell has ended, and nothing of it is needed any more. */
  forget(): void;
  /** Leaves the shell to the next gateway: the listener is not called any more. */
  release(): void;
}
