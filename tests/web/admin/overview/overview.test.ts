import { describe, expect, it } from 'vitest';
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
  formatStep,
  formatTick,
  gapsOf,
  incrementsOf,
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
  bytes_up: null,
  bytes_down: null,
  failed_logins: null,
  logins: null,
};
const SOMETHING: OverviewPoint = { ...NOTHING, sessions: 0, uploads: 3 };

describe('The overview', () => {
  it.each([
    ['24', 24],
    ['168', 168],
    ['720', 720],
    ['5', 24],
    [undefined, 24],
    [['24', '720'], 24],
  ])('of %j in the address covers %i hours', (text, hours) => {
    expect(periodOf(text)).toBe(hours);
  });

  it('is measured from the first sample on, also where that is zero', () => {
    expect([isMeasured([NOTHING, NOTHING]), isMeasured([NOTHING, SOMETHING])]).toEqual([false, true]);
  });

  it('sums up what was counted, and of the rest tells the last that was measured', () => {
    const values = valuesOf([SOMETHING, NOTHING, { ...SOMETHING, uploads: 4 }, NOTHING], 'uploads');
    expect([summaryOf(values, true), summaryOf(values, false), summaryOf([null], false)]).toEqual([7, 4, 0]);
  });

  it('shows each thing that is measured in one chart', () => {
    const shown = CHARTS.flatMap(({ parts }) => parts.map(({ metric }) => metric));
    const { at: _at, ...measured } = NOTHING;
    expect(shown.sort()).toEqual(Object.keys(measured).sort());
  });

  it('says bytes as sizes, and the rest as numbers', () => {
    expect([formatValue(1536, 'bytes', 'en'), formatValue(1536, 'count', 'en')]).toEqual([
      '1.5 KiB',
      '1,536',
    ]);
  });
});

describe('A chart', () => {
  it('stands its parts on each other, and on nothing where nothing was measured', () => {
    const parts = [
      [1, 2, null],
      [0, 5, null],
    ];
    expect(stackOf(parts)).toEqual([
      [1, 2, null],
      [1, 7, null],
    ]);
  });

  it('knows each stretch without measurements', () => {
    expect(gapsOf([null, null, 1, null, 0, null])).toEqual([
      [0, 1],
      [3, 3],
      [5, 5],
    ]);
    expect(gapsOf([0, 1])).toEqual([]);
  });

  it('leaves some air at its top, and never fills itself with a single thing', () => {
    expect([topOf(100, 'count'), topOf(1, 'count'), topOf(null, 'bytes')]).toEqual([108, 4, 1024]);
  });

  it('has its lines at whole numbers, and at powers of two where it shows bytes', () => {
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
  ])('is led by %s from step 10 of 20 to %s', (key, step) => {
    expect(stepFor(key, 10, 20)).toBe(step);
  });

  it('tells the begin and the end of a step', () => {
    expect(formatStep(1767322800, 300, 'en')).toMatch(/2026.*:00.*:05/);
  });

  it('has the time of day below it, or the day where its lines are days apart', () => {
    expect(formatTick(1767322800, 3600, 'en')).toMatch(/\d:00/);
    expect(formatTick(1767322800, 86_400, 'en')).toMatch(/^[A-Z][a-z]+ \d+$/);
  });
});
