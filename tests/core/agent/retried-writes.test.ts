import { expect, it } from 'vitest';
import { createRetriedWrites } from '#core/agent/retried-writes.ts';

/** Fails so many times. */
function writeAfter(failures: number) {
  const write = { attempts: 0 };
  const run = async () => {
    write.attempts += 1;
    if (write.attempts <= failures) throw new Error('The database is away');
  };
  return { write, run };
}

it('A write that failed is tried again until it succeeds, and then no more', async () => {
  const logged: Promise<unknown>[] = [];
  const writes = createRetriedWrites({ run: (_what, work) => void logged.push(work.catch(() => undefined)) });
  const { write, run } = writeAfter(2);
  await writes.run('end of turn 1', run); // resolves, so that nobody waits for the database
  expect(writes.areDone()).toBe(false);
  await writes.retryAll();
  expect(writes.areDone()).toBe(false);
  await writes.retryAll();
  expect(writes.areDone()).toBe(true);
  await writes.retryAll();
  expect(write.attempts).toBe(3);
  expect(logged).toHaveLength(3); // each failure is in the log
});
