import type { After } from '../lib/time/timers.ts';

export interface Clock {
  /** Wall-clock time; may jump in either direction. */
  now(): Date;
  /** Monotonic time with an arbitrary origin. */
  elapsed_ms(): number;
  readonly after: After;
}

/** Fire and forget: failures are logged, and shutdown waits for running work. */
export interface Background {
  run(what: string, work: Promise<unknown>): void;
}

/** `fields` never holds a secret: names and ids only. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
