import { describe, expect, it } from 'vitest';
import type { Reading } from '#core/audit/verification/pass.ts';
import { createVerifier } from '#core/audit/verification/verifier.ts';
import type { AuditVerdict } from '#core/model/audit/audit.ts';

const INTACT: AuditVerdict = {
  ...{ ok: true, entries: 10, verified_before: null, restored: 0 },
  ...{ checkpoint: null, first_bad_id: null, reason: null },
};

/** Verifications that the test ends. */
function setUp() {
  const runs: { reading: Reading; end: () => void }[] = [];
  const verify = createVerifier(
    (reading) =>
      new Promise((resolve, reject) => {
        runs.push({ reading, end: () => resolve(INTACT) });
        reading.signal?.addEventListener('abort', () => reject(new Error('stopped')));
      }),
  );
  const begun = async (count: number) => {
    await expect.poll(() => runs.length).toBe(count);
    return runs[count - 1] as (typeof runs)[number];
  };
  return { runs, verify, begun };
}

describe('a verification', () => {
  it('is shared by requests that come while it runs, with its progress', async () => {
    const { runs, verify, begun } = setUp();
    const seen: number[] = [];
    const one = verify({ from: 'start' });
    const { reading, end } = await begun(1);
    reading.watch?.({ checked: 4, total: 10 });
    const two = verify({ from: 'checkpoint', watch: ({ checked }) => seen.push(checked) });
    reading.watch?.({ checked: 8, total: 10 });
    end();
    expect(await Promise.all([one, two])).toEqual([INTACT, INTACT]);
    expect([runs.length, seen]).toEqual([1, [4, 8]]);
  });

  it('of the whole log waits for one that only continues, and is not replaced by it', async () => {
    const { runs, verify, begun } = setUp();
    const partial = verify({ from: 'checkpoint' });
    const first = await begun(1);
    const whole = verify({ from: 'start' });
    expect(runs).toHaveLength(1);
    first.end();
    await partial;
    const second = await begun(2);
    expect(second.reading.from).toBe('start');
    second.end();
    expect(await whole).toEqual(INTACT);
  });

  it('goes on until the last one who waits for it has left', async () => {
    const { verify, begun } = setUp();
    const [one, two] = [new AbortController(), new AbortController()];
    const waiting = [one, two].map(({ signal }) => verify({ from: 'start', signal }));
    const { reading } = await begun(1);
    one.abort();
    await expect(waiting[0]).rejects.toThrow();
    expect(reading.signal?.aborted).toBe(false);
    two.abort();
    await expect(waiting[1]).rejects.toThrow();
    expect(reading.signal?.aborted).toBe(true);
    const again = verify({ from: 'start' });
    (await begun(2)).end();
    expect(await again).toEqual(INTACT);
  });
});
