import { describe, expect, it } from 'vitest';
import { isExpired, recoveryFile } from '../../../apps/web/account/account.ts';
import { randomPassword } from '../../../apps/web/admin/users/random-password.ts';
import { dayOf, expiresAt } from '../../../apps/web/lib/expiry.ts';

const now = new Date('2026-03-01T12:00:00Z');

describe('the expiry of an API key', () => {
  it.each([
    ['30_days', '2026-03-31T12:00:00.000Z'],
    ['90_days', '2026-05-30T12:00:00.000Z'],
    ['1_year', '2027-03-01T12:00:00.000Z'],
    ['never', null],
  ] as const)('%s is %s', (expiry, moment) => {
    expect(expiresAt(expiry, '', now)).toBe(moment);
  });

  it('on a date is the end of that day in local time', () => {
    expect(expiresAt('date', '2026-03-09', now)).toBe(new Date('2026-03-09T23:59:59').toISOString());
    expect(expiresAt('date', dayOf(now), now)).toBeTypeOf('string');
  });

  it.each(['', '2026-02-28', '2026-13-01', 'tomorrow'])('is undefined for the date %j', (date) => {
    expect(expiresAt('date', date, now)).toBeUndefined();
  });

  it('has passed from that moment on', () => {
    expect(isExpired({ expires_at: now.toISOString() }, now)).toBe(true);
    expect(isExpired({ expires_at: '2026-03-01T12:00:01Z' }, now)).toBe(false);
    expect(isExpired({ expires_at: null }, now)).toBe(false);
  });
});

describe('a file of recovery codes', () => {
  it('starts with a title, then lists one code per line', () => {
    expect(recoveryFile('Codes of ada', ['aa-bb', 'cc-dd'])).toBe('Codes of ada\n\naa-bb\ncc-dd\n');
  });
});

describe('a generated password', () => {
  it('is long, has no ambiguous letters, and is never the same', () => {
    const passwords = Array.from({ length: 100 }, randomPassword);
    expect(new Set(passwords).size).toBe(100);
    for (const password of passwords)
      expect(password).toMatch(/^([a-km-zA-HJ-NP-Z2-9]{5}-){3}[a-km-zA-HJ-NP-Z2-9]{5}$/);
  });
});
