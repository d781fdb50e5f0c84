import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { CastEnd, CastListener, CastStop, CastWriter, NewCast } from '#core/ports/casts.ts';
import { systemClock } from '#server/lib/clock.ts';
import { type CastsOptions, createCasts } from '#worker/recording/casts.ts';

export const STARTED_AT = new Date('2025-01-02T03:04:05.678Z');

/** The reports about a recording, in order. */
export interface Told extends CastListener {
  readonly congestions: boolean[];
  readonly stops: [CastStop, CastEnd][];
  readonly stop: Promise<CastStop>;
}

export function listen(): Told {
  const congestions: boolean[] = [];
  const stops: Told['stops'] = [];
  let tell: (why: CastStop) => void = () => {};
  const stop = new Promise<CastStop>((resolve) => {
    tell = resolve;
  });
  return {
    congestions,
    stops,
    stop,
    congested: (is_congested) => void congestions.push(is_congested),
    stopped(why, end) {
      stops.push([why, end]);
      tell(why);
    },
  };
}

export type CastLine = [number, string, string];

/** Every line but the first; each must be complete. */
export function eventsIn(file: string): CastLine[] {
  const [, ...lines] = wholeLines(file);
  return lines.map((line) => JSON.parse(line));
}

export function wholeLines(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  if (lines.pop() !== '') throw new Error('The last line is not whole');
  return lines;
}

export const outputIn = (file: string) =>
  eventsIn(file)
    .filter(([, kind]) => kind === 'o')
    .map(([, , text]) => text)
    .join('');

let count = 0;

/** Recordings in their own folder, which is removed with the test file. */
export function openFolder(options: Partial<CastsOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-casts-'));
  const dir = options.dir ?? join(folder, 'recordings');
  const casts = createCasts({ clock: systemClock, ...options, dir });
  afterAll(async () => {
    await casts.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  async function record(changes: Partial<NewCast> = {}, listener: CastListener = listen()) {
    count += 1;
    const path = `2025-01/${count}.cast`;
    const size = { cols: 80, rows: 24 };
    const cast: NewCast = {
      path,
      size,
      started_at: STARTED_AT,
      title: 'web-1',
      max_bytes: undefined,
      ...changes,
    };
    const writer: CastWriter = await casts.create(cast, listener);
    return { writer, path: cast.path, file: join(dir, cast.path) };
  }
  return { casts, dir, record };
}

export const utf8 = (text: string) => Buffer.from(text);
