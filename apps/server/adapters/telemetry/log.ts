import { pino } from 'pino';
import pretty from 'pino-pretty';
import type { Log } from '#core/ports/runtime.ts';
import { currentRequest } from './request-context.ts';

export interface LogOptions {
  readonly level: string;
  readonly format: 'pretty' | 'json';
}

export interface LeveledLog extends Log {
  /** The lowest level that is written; can be changed at any time. */
  level: string;
}

/** Logs to standard output. Of an `err`, only name, message, stack and cause are written. */
export function createLog({ level, format }: LogOptions): LeveledLog {
  const options = { level, base: null, serializers: { err: describe }, mixin: requestOfLine };
  if (format === 'json') return pino({ ...options, timestamp: pino.stdTimeFunctions.isoTime });
  return pino(
    options,
    pretty({ colorize: process.stdout.isTTY, translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true }),
  );
}

/** Adds the request id to lines that code far from the request writes. */
function requestOfLine(): object {
  const request_id = currentRequest();
  return request_id === undefined ? {} : { request_id };
}

/** Errors of libraries carry configuration, requests and credentials in extra fields, which must not be logged. */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? {} : { cause: describe(error.cause) };
  return { type: error.name, message: error.message, stack: error.stack, ...cause };
}
