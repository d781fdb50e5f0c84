import { describe, expect, it } from 'vitest';
import { minuteText, readMoment } from '../../../../apps/web/lib/query/moments.ts';

const NOW = new Date(2026, 10, 27, 15, 30, 20);
const day = (date: number) => ({ from: new Date(2026, 10, date), to: new Date(2026, 10, date + 1) });

describe('A date of a query', () => {
  it('is a day, whole', () => {
    expect(readMoment('2026-11-20', NOW)).toEqual(day(20));
    expect(readMoment('Today', NOW)).toEqual(day(27));
    expect(readMoment('yesterday', NOW)).toEqual(day(26));
  });

  it('is a minute, or a time ago', () => {
    expect(readMoment('2026-11-20T09:05', NOW)?.from).toEqual(new Date(2026, 10, 20, 9, 5));
    expect(readMoment('7d', NOW)?.from).toEqual(new Date(2026, 10, 20, 15, 30));
    expect(readMoment('2h', NOW)?.from).toEqual(new Date(2026, 10, 27, 13, 30));
    expect(readMoment(minuteText(NOW), NOW)?.from).toEqual(new Date(2026, 10, 27, 15, 30));
  });

  it('is nothing else', () => {
    const WRONG = [
      '',
      'd',
      '7',
      '7y',
      '-7d',
      '99999w',
      '2026-02-30',
      '2026-13-01',
      '0000-01-01',
      '9999-12-31',
    ];
    for (const text of [...WRONG, '2026-11-20T24:00', '2026-11-20T09:60', '20-11-2026', 'tomorrow', '1e3d'])
      expect([text, readMoment(text, NOW)]).toEqual([text, undefined]);
  });
});
