import type { After } from '../lib/timers.ts';

export interface Clock {
  now(): Date;
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
