import { describe, expect, it } from 'vitest';
import { formatAgo, formatSince } from '../../../apps/web/lib/format.ts';

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

  it('on the same day is a time with seconds, and on another day has a date', () => {
    expect(formatSince(past(25), NOW.getTime(), 'en').replace(/\s/g, ' ')).toBe('12:00:05 PM');
    expect(formatSince(past(86_400), NOW.getTime(), 'en')).toMatch(/^Feb 28, 2026, 12:00:30/);
  });
});
