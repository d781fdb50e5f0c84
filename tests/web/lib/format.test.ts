import { describe, expect, it } from 'vitest';
import { formatAgo, formatWhen, formatWhole } from '../../../apps/web/lib/format.ts';

const NOW = new Date(2026, 2, 1, 12, 0, 30);
const past = (seconds: number) => new Date(NOW.getTime() - seconds * 1000).toISOString();

describe('an instant', () => {
  it.each([
    [-3, 'now'],
    [12, '12 seconds ago'],
    [60, '1 minute ago'],
    [3599, '59 minutes ago'],
    [7200, '2 hours ago'],
    [3 * 86_400, '3 days ago'],
  ])('%i seconds ago is %s', (seconds, text) => {
    expect(formatAgo(past(seconds), NOW.getTime(), 'en')).toBe(text);
  });
});

describe('A time in a list', () => {
  const now_ms = new Date(2026, 10, 27, 23, 0).getTime();
  const at = (...parts: [number, number, number, number, number, number]) => new Date(...parts).toISOString();

  it.each([
    [at(2026, 10, 27, 22, 38, 5), '22:38', '22:38'],
    [at(2026, 10, 27, 0, 0, 0), '00:00', '00:00'],
    [at(2026, 10, 26, 15, 37, 5), 'Yesterday 15:37', 'Ayer 15:37'],
    [at(2026, 10, 28, 9, 5, 0), 'Tomorrow 09:05', 'Mañana 09:05'],
    [at(2026, 10, 12, 15, 37, 5), '12 Nov', '12 nov'],
    [at(2025, 10, 12, 15, 37, 5), '12 Nov 2025', '12 nov 2025'],
    [at(2027, 0, 2, 15, 37, 5), '2 Jan 2027', '2 ene 2027'],
  ])('at %s is %j, in Spanish %j', (instant, english, spanish) => {
    expect(formatWhen(instant, { now_ms, language: 'en' })).toBe(english);
    expect(formatWhen(instant, { now_ms, language: 'es' })).toBe(spanish);
  });

  it('has seconds where things happen within one minute', () => {
    const instant = at(2026, 10, 27, 22, 38, 5);
    expect(formatWhen(instant, { now_ms, language: 'en', has_seconds: true })).toBe('22:38:05');
  });

  it('is told in full with the time zone', () => {
    expect(formatWhole(at(2026, 10, 12, 22, 38, 5), 'en')).toMatch(/^12 Nov 2026, 22:38:05 \S+$/);
  });
});
