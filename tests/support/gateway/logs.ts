import type { Log } from '#core/ports/runtime.ts';

/** A log that is kept, line by line, as JSON. */
export interface KeptLog extends Log {
  readonly lines: string[];
}

export function keepLog(): KeptLog {
  const lines: string[] = [];
  const keep = (level: string) => (fields: object, message: string) => {
    lines.push(JSON.stringify({ level, message, ...fields }, spellOut));
  };
  return { lines, debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
}

/** With all that an error carries, as a logger prints it. */
function spellOut(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { ...value, name, message, stack, cause };
}
