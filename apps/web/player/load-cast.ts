import { ClientError } from '#client/transport/client-error.ts';
import { load } from '#client/transport/load.ts';
import type { CastEvent } from './timeline.ts';

export interface Cast {
  readonly cols: number;
  readonly rows: number;
  readonly events: readonly CastEvent[];
}

export type LoadFailure = 'cannot_load' | 'expired' | 'file_missing' | 'no_cast';

/** An error shown to the user. Its message is a text key. */
export class LoadError extends Error {
  readonly failure: LoadFailure;

  constructor(failure: LoadFailure) {
    super(failure);
    this.failure = failure;
  }
}

/** Reads the cast line by line as it arrives, and ignores an incomplete last line. */
export async function loadCast(url: string, onProgress: (loaded_bytes: number) => void): Promise<Cast> {
  const reader = await open(url);
  const decoder = new TextDecoder();
  const reading = createCastReader();
  let loaded = 0;
  for (;;) {
    const { done, value } = await next(reader);
    if (done) return reading.end();
    loaded += value.length;
    reading.take(decoder.decode(value, { stream: true }));
    onProgress(loaded);
  }
}

async function open(url: string) {
  const { body } = await load(url).catch(fail);
  if (!body) throw new LoadError('cannot_load');
  return body.getReader();
}

function fail(error: unknown): never {
  const status = error instanceof ClientError ? error.status : 0;
  if (status === 404) throw new LoadError('file_missing');
  throw new LoadError([401, 403].includes(status) ? 'expired' : 'cannot_load');
}

async function next(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read();
  } catch {
    throw new LoadError('cannot_load');
  }
}

/** Parses asciicast v2 from chunks of any length. */
export function createCastReader() {
  const events: CastEvent[] = [];
  let size: { cols: number; rows: number } | undefined;
  let rest = '';

  function takeLine(line: string): void {
    const parsed = parse(line);
    if (!size) size = sizeOf(parsed);
    else if (isEvent(parsed))
      events.push([Math.max(parsed[0] * 1000, events.at(-1)?.[0] ?? 0), ...tail(parsed)]);
  }

  return {
    take(text: string): void {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) takeLine(line);
    },

    end(): Cast {
      if (rest !== '') takeLine(rest);
      if (!size) throw new LoadError('no_cast');
      return { ...size, events };
    },
  };
}

type RawEvent = readonly [number, 'o' | 'r', string];

const tail = ([, code, data]: RawEvent): [RawEvent[1], string] => [code, data];

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function sizeOf(header: unknown): { cols: number; rows: number } {
  const { version, width, height }: Record<string, unknown> =
    typeof header === 'object' && header !== null ? { ...header } : {};
  if (version !== 2 || !isSide(width) || !isSide(height)) throw new LoadError('no_cast');
  return { cols: width, rows: height };
}

function isSide(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 1000;
}

function isEvent(value: unknown): value is RawEvent {
  if (!Array.isArray(value)) return false;
  const [at, code, data] = value;
  return Number.isFinite(at) && at >= 0 && ['o', 'r'].includes(code) && typeof data === 'string';
}
