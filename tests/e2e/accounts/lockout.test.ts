import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { User } from '#core/model/accounts/user.ts';
import { userOf } from '../../support/features/accounts.ts';
import { enrol, standStill } from '../../support/features/totp.ts';
import {
  type Answer,
  describeEachGateway,
  type LoginBody,
  logIn,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';

const LOCKS_S = [60, 120, 240, 480, 960, 1920, 3600, 3600];
const PAST = '2020-01-01T00:00:00.000Z';
const LOCKED = {
  status: 429,
  body: { detail: 'Too many failed sign-ins; this account is temporarily locked', code: 'account_locked' },
};
const WRONG = { status: 401, body: { detail: 'Invalid credentials', code: 'invalid_credentials' } };

// Each sign-in comes from its own address.
describeEachGateway('After failed sign-ins', (gateway) => {
  const attempt = (username: string, password = 'wrong-password') =>
    logIn(gateway().anonymous, username, password);
  const wholly = ({ status, body }: Answer<LoginBody>) => ({ status, body });

  async function fail(username: string, times: number): Promise<void> {
    for (let count = 0; count < times; count += 1) expect(wholly(await attempt(username))).toEqual(WRONG);
  }

  /** As if the lock had expired. */
  async function endLock(username: string): Promise<void> {
    const { db, tables } = gateway().store;
    const { lockouts } = tables;
    await db.update(lockouts).set({ locked_until: PAST }).where(eq(lockouts.username_key, username));
  }

  it('lock an account after 10 in a row, even for the right password, with Retry-After', async () => {
    await gateway().user({ username: 'besieged' });
    await fail('besieged', 10);
    for (const password of ['wrong-password', USER_PASSWORD]) {
      const refused = await attempt('besieged', password);
      expect(wholly(refused)).toEqual(LOCKED);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
  });

  it('lock the account under every spelling of its name', async () => {
    await gateway().user({ username: 'many faces' });
    await fail('MANY faces', 5);
    await fail('many FACES', 5);
    expect(wholly(await attempt('Many Faces', USER_PASSWORD))).toEqual(LOCKED);
  });

  it.each([
    ['soft hyphen', 'ali\u00adce'],
    ['zero-width space', 'alice\u200b'],
    ['variation selector', 'alice\ufe0f'],
    ['control character', 'al\u0001ice'],
    ['dotted capital I', 'alİce'],
    ['fullwidth letter', 'ａlice'],
    ['space of another kind', '\u2003alice\u00a0'],
  ])('share one lock between spellings that a directory treats as equal: %s', async (what, spelling) => {
    const suffix = ` of ${what}`;
    await gateway().user({ username: `alice${suffix}` });
    await fail(spelling.trim() + suffix, 10);
    expect(wholly(await attempt(`alice${suffix}`, USER_PASSWORD))).toEqual(LOCKED);
  });

  it('share one lock between both small sigmas, which a directory folds from one capital', async () => {
    await gateway().user({ username: 'λιμήν οσ' });
    await fail('ΛΙΜΉΝ ΟΣ', 10);
    expect(wholly(await attempt('λιμήν οσ', USER_PASSWORD))).toEqual(LOCKED);
  });

  it('get the same answer for an unknown name as for a known one', async () => {
    await gateway().user({ username: 'known' });
    const answers = async (username: string) => {
      const all = [];
      for (let count = 0; count < 12; count += 1) {
        const answer = await attempt(username);
        all.push({ ...wholly(answer), locked: answer.headers.has('retry-after') });
      }
      return all;
    };
    expect(await answers('unknown')).toEqual(await answers('known'));
  });

  it('lock one account and no other', async () => {
    await gateway().user({ username: 'neighbor' });
    await fail('next door', 10);
    expect((await attempt('neighbor', USER_PASSWORD)).status).toBe(200);
  });

  it('keep open sessions of a locked account', async () => {
    const user = await gateway().user({ username: 'at work' });
    await fail('at work', 10);
    expect((await user.call('GET', '/api/auth/me')).status).toBe(200);
  });

  it('allow the right password once the lock has expired', async () => {
    await gateway().user({ username: 'patient' });
    await fail('patient', 10);
    await endLock('patient');
    expect((await attempt('patient', USER_PASSWORD)).status).toBe(200);
  });

  it('lock again at the next failure after a lock, for a growing time of at most an hour', async () => {
    await fail('stubborn', 9);
    for (const [step, seconds] of LOCKS_S.entries()) {
      await fail('stubborn', 1);
      const left_s = Number((await attempt('stubborn')).headers.get('retry-after'));
      expect({ step, grown: left_s > seconds / 2 && left_s <= seconds }).toEqual({ step, grown: true });
      await endLock('stubborn');
    }
  });

  it('do not extend a lock while it lasts', async () => {
    await fail('hammered', 10);
    for (let count = 0; count < 5; count += 1) expect(wholly(await attempt('hammered'))).toEqual(LOCKED);
    expect(Number((await attempt('hammered')).headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });

  it('are counted from zero after a success', async () => {
    await gateway().user({ username: 'clumsy' });
    await fail('clumsy', 9);
    expect((await attempt('clumsy', USER_PASSWORD)).status).toBe(200);
    await fail('clumsy', 9);
    expect((await attempt('clumsy', USER_PASSWORD)).status).toBe(200);
  });

  it('are cleared when an administrator resets the password', async () => {
    const { id } = await userOf(await gateway().user({ username: 'rescued' }));
    await fail('rescued', 10);
    const input = { password: 'reset-password-5' };
    await gateway().admin.call('PUT', `/api/auth/users/${id}/password`, input);
    expect((await attempt('rescued', input.password)).status).toBe(200);
  });

  it('are shown to administrators with the end of the lock, which they can remove', async () => {
    const { id } = await userOf(await gateway().user({ username: 'Released' }));
    await fail('released', 10);
    const lockOf = async () => {
      const { body } = await gateway().admin.call<User[]>('GET', '/api/auth/users');
      return body.find((user) => user.id === id)?.locked_until;
    };
    expect(Date.parse((await lockOf()) ?? '')).toBeGreaterThan(Date.now());
    expect((await gateway().admin.call('DELETE', `/api/auth/users/${id}/lock`)).status).toBe(204);
    expect(await lockOf()).toBeNull();
    expect((await attempt('released', USER_PASSWORD)).status).toBe(200);
    expect((await gateway().admin.call('DELETE', '/api/auth/users/999999/lock')).status).toBe(404);
  });

  it('do not include 30 concurrent right passwords', async () => {
    await gateway().user({ username: 'pipeline' });
    const answers = await Promise.all(Array.from({ length: 30 }, () => attempt('pipeline', USER_PASSWORD)));
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
  });

  it('are each counted when 30 arrive at once', async () => {
    await gateway().user({ username: 'stormed' });
    const answers = await Promise.all(Array.from({ length: 30 }, () => attempt('stormed')));
    const times = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect({ wrong: times(401), locked: times(429) }).toEqual({ wrong: 10, locked: 20 });
    expect(wholly(await attempt('stormed', USER_PASSWORD))).toEqual(LOCKED);
  });

  it('are each audited', async () => {
    await fail('noted', 10);
    await attempt('noted');
    const query = '/api/auth/audit?username=noted&action=login_failed';
    const { body } = await gateway().admin.call<{ detail: string }[]>('GET', query);
    expect(body).toHaveLength(11);
    expect(body[0]?.detail).toBe('the account is locked');
  });

  describe('of an account with two-factor', () => {
    it('are kept when a right password still awaits its second factor', async () => {
      standStill();
      await enrol(await gateway().user({ username: 'half way' }));
      await fail('half way', 9);
      expect((await attempt('half way', USER_PASSWORD)).body.requires_2fa).toBe(true);
      await fail('half way', 1);
      expect(wholly(await attempt('half way', USER_PASSWORD))).toEqual(LOCKED);
    });

    it('do not include a right password that awaits its second factor', async () => {
      standStill();
      await enrol(await gateway().user({ username: 'undecided' }));
      for (let count = 0; count < 12; count += 1) {
        expect((await attempt('undecided', USER_PASSWORD)).status).toBe(200);
      }
    });
  });
});
