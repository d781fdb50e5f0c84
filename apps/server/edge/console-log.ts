import type { Log } from '#core/ports/runtime.ts';
import { describeError } from '../adapters/telemetry/describe-error.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const ORDER: readonly string[] = [...LEVELS, 'silent'];

/** One line of JSON per entry, through the console, which serverless platforms collect. */
export function createConsoleLog(level: string): Log {
  const lowest = ORDER.indexOf(level);
  const write = (at: (typeof LEVELS)[number]) => (fields: object, message: string) => {
    if (ORDER.indexOf(at) < lowest) return;
    const err = 'err' in fields ? { err: describeError(fields.err) } : {};
    console[at](JSON.stringify({ level: at, msg: message, ...fields, ...err }));
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
