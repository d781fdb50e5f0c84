import { pino } from 'pino';
import pretty from 'pino-pretty';
import type { Log } from '#core/ports/runtime.ts';
import { describeError } from './describe-error.ts';
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
  const options = { level, base: null, serializers: { err: describeError }, mixin: requestOfLine };
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
