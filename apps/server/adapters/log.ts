import { pino } from 'pino';
import pretty from 'pino-pretty';
import type { Log } from '#core/ports/runtime.ts';

export interface LogOptions {
  readonly level: string;
  readonly format: 'pretty' | 'json';
}

/** Lines on standard output. Errors are written as `err`: name, message and stack, never what they carry besides. */
export function createLog({ level, format }: LogOptions): Log {
  const options = { level, base: null, serializers: { err: describe } };
  if (format === 'json') return pino({ ...options, timestamp: pino.stdTimeFunctions.isoTime });
  return pino(
    options,
    pretty({ colorize: process.stdout.isTTY, translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true }),
  );
}

/** Foreign errors carry configurations, requests and credentials in extra fields: name them, do not dump them. */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? {} : { cause: describe(error.cause) };
  return { type: error.name, message: error.message, stack: error.stack, ...cause };
}
