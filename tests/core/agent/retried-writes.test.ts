import { expect, it } from 'vitest';
import { createOwed } from '#core/agent/retried-writes.ts';

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
  const owed = createOwed({ run: (_what, work) => void logged.push(work.catch(() => undefined)) });
  const { write, run } = writeAfter(2);
  await owed.pay('end of turn 1', run); // resolves, so that nobody waits for the database
  expect(owed.isPaid()).toBe(false);
  await owed.payAll();
  expect(owed.isPaid()).toBe(false);
  await owed.payAll();
  expect(owed.isPaid()).toBe(true);
  await owed.payAll();
  expect(write.attempts).toBe(3);
  expect(logged).toHaveLength(3); // each failure is in the log
});
