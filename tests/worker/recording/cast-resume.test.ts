import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CastPosition } from '#core/ports/keeping.ts';
import type { Clock } from '#core/ports/runtime.ts';
import { systemClock } from '#server/lib/clock.ts';
import { eventsIn, listen, openFolder, STARTED_AT, utf8 } from './cast-folder.ts';

let now_ms = 0;
const put = (seconds: number) => {
  now_ms = STARTED_AT.getTime() + seconds * 1000;
};
beforeEach(() => put(0));
const clock: Clock = { ...systemClock, now: () => new Date(now_ms), elapsed_ms: () => now_ms };
const { casts, record } = openFolder({ clock });

/** A recording whose process ended after `bytes`, with a line that was written but not confirmed. */
async function interrupted(bytes: Uint8Array) {
  const positions: CastPosition[] = [];
  const { writer, file, path } = await record(
    {},
    { ...listen(), written: (position) => void positions.push(position) },
  );
  put(1);
  writer.output(bytes);
  await writer.abandon();
  appendFileSync(file, '[2, "o", "cut o');
  const position = positions.at(-1) ?? { offset: 0, size_bytes: 0 };
  const resume = (at = position) =>
    casts.resume({ path, started_at: STARTED_AT, max_bytes: undefined, position: at }, listen());
  return { file, position, resume };
}

describe('a recording that another process continues', () => {
  it('goes on after what was confirmed, at the time when the output arrived', async () => {
    const { file, position, resume } = await interrupted(utf8('one'));
    expect(position.offset).toBe(3);
    put(9);
    const writer = await resume();
    writer.output(utf8('two'), STARTED_AT.getTime() + 4000);
    writer.output(utf8('three'));
    const { sha256, duration_s } = await writer.close();
    expect(eventsIn(file)).toEqual([
      [1, 'o', 'one'],
      [4, 'o', 'two'],
      [9, 'o', 'three'],
    ]);
    expect(duration_s).toBe(9);
    expect(sha256).toBe(createHash('sha256').update(readFileSync(file)).digest('hex'));
  });

  it('keeps a character whole that the end of the process had split', async () => {
    const bytes = utf8('a€');
    const { file, position, resume } = await interrupted(bytes.subarray(0, 3));
    expect(position.offset).toBe(1);
    const writer = await resume();
    writer.output(bytes.subarray(1));
    await writer.close();
    expect(eventsIn(file).map(([, , text]) => text)).toEqual(['a', '€']);
  });

  it('never goes back in time', async () => {
    const { file, resume } = await interrupted(utf8('one'));
    const writer = await resume();
    writer.output(utf8('two'), STARTED_AT.getTime());
    await writer.close();
    expect(eventsIn(file).map(([at_s]) => at_s)).toEqual([1, 1]);
  });

  it('is refused when the file is shorter than what was confirmed', async () => {
    const { resume } = await interrupted(utf8('one'));
    await expect(resume({ offset: 3, size_bytes: 100_000 })).rejects.toMatchObject({
      code: 'recording_failed',
    });
  });
});
