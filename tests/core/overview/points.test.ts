import { describe, expect, it } from 'vitest';
import type { MergedSample, SampleName } from '#core/model/overview.ts';
import { pointsOf, startOf, stepsOf } from '#core/overview/points.ts';

const NOW = new Date('2026-01-02T03:04:05.678Z');

describe('The intervals of the overview', () => {
  it.each([
    [1, 300, 12],
    [24, 300, 288],
    [25, 300, 300],
    [26, 600, 156],
    [168, 3600, 168],
    [720, 10_800, 240],
  ])('for %i hours are %i s long, and there are %i of them', (hours, step_s, count) => {
    expect(stepsOf(hours, NOW)).toMatchObject({ step_s, count });
  });

  it('are never more than 300', () => {
    const counts = Array.from({ length: 720 }, (_, i) => stepsOf(i + 1, NOW).count);
    expect(Math.max(...counts)).toBe(300);
  });

  it('end with the current one', () => {
    const steps = stepsOf(24, NOW);
    expect(startOf(steps.first + steps.count - 1, steps)).toBe('2026-01-02T03:00:00.000Z');
  });
});

describe('The points of the overview', () => {
  const steps = stepsOf(1, NOW);
  const sample = (metric: SampleName, at: number): MergedSample => ({
    step: steps.first + at,
    metric,
    sum: 30,
    last: 4,
  });

  it('hold the sum of counters and the last value of gauges', () => {
    const points = pointsOf([sample('uploads', 3), sample('sessions', 3)], steps);
    expect(points[3]).toMatchObject({ at: '2026-01-02T02:20:00.000Z', uploads: 30, sessions: 4 });
  });

  it('count zero where an earlier version measured, but had no such counter', () => {
    const points = pointsOf([sample('sessions', 3)], steps);
    expect(points.slice(2, 4).map(({ copies }) => copies)).toEqual([null, 0]);
  });

  it('exist for each interval, with null where nothing was sampled', () => {
    const points = pointsOf([sample('uploads', 3)], steps);
    expect(points.map(({ uploads }) => uploads)).toEqual(
      Array.from({ length: 12 }, (_, i) => (i === 3 ? 30 : null)),
    );
  });
});
