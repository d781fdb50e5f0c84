import { systemClock } from '#server/lib/clock.ts';
import { createCasts } from '#worker/recording/casts.ts';

/** A separate process that records: `endless` until it is killed, `once` without closing its recording. */
const [, , dir = '', how] = process.argv;
const casts = createCasts({ dir, clock: systemClock });
const cast = { path: 'a.cast', size: { cols: 80, rows: 24 }, started_at: new Date(), title: 'web-1' };
const writer = await casts.create(
  { ...cast, max_bytes: undefined },
  { congested: () => {}, stopped: () => {} },
);

let count = 0;
function writeLine(): void {
  count += 1;
  writer.output(Buffer.from(`line ${count} of what was shown €\r\n`));
  if (count === 100) process.stdout.write('100');
  if (how === 'endless') setImmediate(writeLine);
}
writeLine();
