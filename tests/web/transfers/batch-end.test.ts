import { describe, expect, it } from 'vitest';
import { endOf } from '../../../apps/web/transfers/alerts.ts';

describe('Transfers that run together', () => {
  it.each([
    ['have not ended while one is active', { active: 1, failed: 1, paused: 0 }, undefined],
    ['have finished when none is active', { active: 0, failed: 1, paused: 2 }, 'done'],
    ['have failed when one of them has', { active: 0, failed: 2, paused: 3 }, 'failed'],
    ['have not ended when one is paused', { active: 0, failed: 1, paused: 3 }, undefined],
  ] as const)('%s', (_what, now, end) => {
    expect(endOf({ active: 0, failed: 1, paused: 2 }, now)).toBe(end);
  });
});
