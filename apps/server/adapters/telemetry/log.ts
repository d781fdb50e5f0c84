import { pino } from 'pino';
import pretty from 'pino-pretty';
import type { Log } from '#core/ports/runtime.ts';
import { currentRequest } from './request-context.ts';

export interface LogOptions {
  readonly level: string;
  readonly format: 'pretty' | 'json';
}

export interface LeveledLog extends Log {
  /** The least important lines that are written; may be set at any time. */
  level: string;
}

/** Lines on standard output. Errors are written as `err`: name, message and stack, never what they carry besides. */
export function createLog({ level, format }: LogOptions): LeveledLog {
  const options = { level, base: null, serializers: { err: describe }, mixin: requestOfLine };
  if (format === 'json') return pino({ ...options, timestamp: pino.stdTimeFunctions.isoTime });
  return pino(
    options,
    pretty({ colorize: process.stdout.isTTY, translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true }),
  );
}

/** Lines from deep inside do not know whom they are for. */
function requestOfLine(): object {
  const request_id = currentRequest();
  return request_id === undefined ? {} : { request_id };
}

/** Foreign errors carry configurations, requests and credentials in extra fields: name them, do not dump them. */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? {} : { cause: describe(error.cause) };
  return { type: error.name, message: error.message, stack: error.stack, ...cause };
}
