import { describe, expect, it } from 'vitest';
import { barsOf } from '../../../../apps/web/admin/overview/bars.ts';
import {
  CHARTS,
  formatValue,
  isMeasured,
  type OverviewPoint,
  periodOf,
  summaryOf,
  valuesOf,
} from '../../../../apps/web/admin/overview/overview.ts';
import {
  firstMeasured,
  formatStep,
  formatTick,
  gapsOf,
  incrementsOf,
  isFlat,
  peakOf,
  stackOf,
  stepFor,
  topOf,
} from '../../../../apps/web/parts/charts/shape.ts';

const NOTHING: OverviewPoint = {
  at: '2026-01-02T03:00:00.000Z',
  servers_online: null,
  servers_offline: null,
  servers_unchecked: null,
  sessions: null,
  uploads: null,
  downloads: null,
  copies: null,
  bytes_up: null,
  bytes_down: null,
  bytes_copied: null,
  failed_logins: null,
  logins: null,
};
const SOMETHING: OverviewPoint = { ...NOTHING, sessions: 0, uploads: 3 };

describe('the overview', () => {
  it.each([
    ['24', 24],
    ['168', 168],
    ['720', 720],
    ['5', 24],
    [undefined, 24],
    [['24', '720'], 24],
  ])('for %j in the URL covers %i hours', (text, hours) => {
    expect(periodOf(text)).toBe(hours);
  });

  it('starts at the first sample, even when that is zero', () => {
    expect([isMeasured([NOTHING, NOTHING]), isMeasured([NOTHING, SOMETHING])]).toEqual([false, true]);
  });

  it('adds up counters and shows the last value of gauges', () => {
    const values = valuesOf([SOMETHING, NOTHING, { ...SOMETHING, uploads: 4 }, NOTHING], 'uploads');
    expect([summaryOf(values, true), summaryOf(values, false), summaryOf([null], false)]).toEqual([7, 4, 0]);
  });

  it('shows each metric in one chart', () => {
    const shown = CHARTS.flatMap(({ parts }) => parts.map(({ metric }) => metric));
    const { at: _at, ...measured } = NOTHING;
    expect(shown.sort()).toEqual(Object.keys(measured).sort());
  });

  it('formats bytes as sizes and the rest as numbers', () => {
    expect([formatValue(1536, 'bytes', 'en'), formatValue(1536, 'count', 'en')]).toEqual([
      '1.5 KiB',
      '1,536',
    ]);
  });
});

describe('a bar of the overview', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 2, 3, minute)).toISOString();
  const servers = (online: number, offline: number) => ({
    ...{ servers_online: online, servers_offline: offline, servers_unchecked: 0 },
  });
  const hours = (points: readonly OverviewPoint[]) => barsOf({ points, step_s: 300 }, 24, 0).points;

  it('is an hour of the clock, also where the first one is not whole', () => {
    const points = Array.from({ length: 24 }, (_, i) => ({ ...NOTHING, at: at(30 + 5 * i) }));
    const bars = barsOf({ points, step_s: 300 }, 24, 0);
    expect(bars.step_s).toBe(3600);
    expect(bars.points.map((bar) => bar.at)).toEqual([at(0), at(60), at(120)]);
    const local = barsOf({ points, step_s: 300 }, 24, 1800); // a time zone of half an hour
    expect(local.points.map((bar) => bar.at)).toEqual([at(30), at(90)]);
  });

  it('adds up counters, and has the most terminals and offline servers at once', () => {
    const [bar] = hours([
      { ...NOTHING, ...servers(7, 1), at: at(0), sessions: 1, uploads: 3 },
      { ...NOTHING, ...servers(5, 3), at: at(5), sessions: 4, uploads: 4 },
      { ...NOTHING, ...servers(8, 0), at: at(10), sessions: 2 },
      { ...NOTHING, at: at(15) },
    ]);
    expect(bar).toEqual({ ...NOTHING, ...servers(5, 3), at: at(0), sessions: 4, uploads: 7 });
  });
});

describe('a chart', () => {
  it('labels its highest step, the latest of several', () => {
    const chart = (...values: (number | null)[][]) => ({
      ...{ times: [], step_s: 1, unit: 'count' as const },
      parts: values.map((measured) => ({ label: '', token: '', values: measured })),
    });
    expect(peakOf(chart([1, 2, 3, null], [4, 0, 2, null]))).toEqual({ step: 2, value: 5 });
    expect(peakOf(chart([0, null]))).toBeUndefined();
    expect([isFlat(chart([0, null])), isFlat(chart([0], [1]))]).toEqual([true, false]);
    expect([firstMeasured(chart([null, 0])), firstMeasured(chart([null]))]).toEqual([1, undefined]);
  });

  it('stacks its series, and shows a gap where nothing was measured', () => {
    const parts = [
      [1, 2, null],
      [0, 5, null],
    ];
    expect(stackOf(parts)).toEqual([
      [1, 2, null],
      [1, 7, null],
    ]);
  });

  it('finds each gap in the samples', () => {
    expect(gapsOf([null, null, 1, null, 0, null])).toEqual([
      [0, 1],
      [3, 3],
      [5, 5],
    ]);
    expect(gapsOf([0, 1])).toEqual([]);
  });

  it('leaves room at the top, and a single item does not fill it', () => {
    expect([topOf(100, 'count'), topOf(1, 'count'), topOf(null, 'bytes')]).toEqual([120, 4, 1024]);
  });

  it('draws its lines at whole numbers, and at powers of two for bytes', () => {
    expect(incrementsOf('count').slice(0, 5)).toEqual([1, 2, 5, 10, 20]);
    expect(incrementsOf('bytes').every((step) => Number.isInteger(Math.log2(step)))).toBe(true);
  });

  it.each([
    ['ArrowLeft', 9],
    ['ArrowRight', 11],
    ['PageUp', 0],
    ['PageDown', 19],
    ['Home', 0],
    ['End', 19],
    ['Enter', undefined],
  ])('moves with %s from interval 10 of 20 to %s', (key, step) => {
    expect(stepFor(key, 10, 20)).toBe(step);
  });

  it('shows the start and the end of an interval', () => {
    expect(formatStep(1767322800, 300, 'en')).toMatch(/2026.*:00.*:05/);
  });

  it('labels its axis with times, or with dates when lines are days apart', () => {
    expect(formatTick(1767322800, 3600, 'en')).toMatch(/\d:00/);
    expect(formatTick(1767322800, 86_400, 'en')).toMatch(/^[A-Z][a-z]+ \d+$/);
  });
});
