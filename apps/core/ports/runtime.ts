import type { After } from '../lib/timers.ts';

export interface Clock {
  /** For people and for what others read: it may be set, forward and back. */
  now(): Date;
  /** For spans, from any beginning: nobody sets it. */
  elapsed_ms(): number;
  readonly after: After;
}

/** Fire and forget: failures are logged, and a stop waits for what is under way. */
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
