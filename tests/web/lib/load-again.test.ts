import { describe, expect, it } from 'vitest';
import { loadAgain } from '../../../apps/web/lib/load-again.ts';

const AT_ONCE = [0, 0];

function failing(times: number) {
  let calls = 0;
  const load = async () => {
    calls += 1;
    if (calls <= times) throw new TypeError(`failed ${calls}`);
    return 'part';
  };
  return { load, calls: () => calls };
}

describe('A part of the page', () => {
  it('is asked for again when the network failed', async () => {
    const { load, calls } = failing(2);
    expect(await loadAgain(load, AT_ONCE)).toBe('part');
    expect(calls()).toBe(3);
  });

  it('is asked for once when it comes', async () => {
    const { load, calls } = failing(0);
    await loadAgain(load, AT_ONCE);
    expect(calls()).toBe(1);
  });

  it('is given up after three failures, with the last one', async () => {
    const { load, calls } = failing(3);
    await expect(loadAgain(load, AT_ONCE)).rejects.toThrow('failed 3');
    expect(calls()).toBe(3);
  });
});
