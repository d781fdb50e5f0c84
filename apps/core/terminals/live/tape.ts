import type { PtySize } from '../../ports/ssh.ts';

/** The recording of one session, as the session sees it; nothing here waits. */
export interface Tape {
  output(bytes: Uint8Array): void;
  resize(size: PtySize): void;
  /** The shell is over. */
  end(): void;
}

export type TapeStop = 'limit' | 'disk_full' | 'failed';

export interface TapeListener {
  /** The shell should pause until it is false again. */
  congested(is_congested: boolean): void;
  /** Nothing is recorded any more; the session goes on. */
  stopped(why: TapeStop): void;
}
