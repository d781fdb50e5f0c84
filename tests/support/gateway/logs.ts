import type { Log } from '#core/ports/runtime.ts';

/** Keeps the log, line by line, as JSON. */
export interface KeptLog extends Log {
  readonly lines: string[];
}

export function keepLog(): KeptLog {
  const lines: string[] = [];
  const keep = (level: string) => (fields: object, message: string) => {
    lines.push(JSON.stringify({ level, message, ...fields }, serializeError));
  };
  return { lines, debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
}

/** Serializes an error with its stack and cause, as a logger does. */
function serializeError(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { ...value, name, message, stack, cause };
}
