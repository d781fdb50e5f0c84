import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey, makeStale, stepUp, userOf } from '../../support/features/accounts.ts';
import { codeAt, enrol, standStill } from '../../support/features/totp.ts';
import {
  type Actor,
  describeEachGateway,
  logIn,
  startGateway,
  type TestGateway,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';
import { type Slapd, startSlapd } from '../../support/hosts/slapd.ts';

const KEYS = '/api/auth/api-keys';
const PROOF = { password: USER_PASSWORD };
const REFUSED = {
  status: 403,
  body: { detail: 'Confirm your identity to continue', code: 'step_up_required' },
};
const WRONG_PASSWORD = { status: 401, body: { detail: 'Invalid credentials', code: 'invalid_credentials' } };
const WRONG_CODE = { status: 401, body: { detail: 'Invalid 2FA code', code: 'invalid_2fa_code' } };
const LOCKED = {
  status: 429,
  body: { detail: 'Too many failed sign-ins; this account is temporarily locked', code: 'account_locked' },
};

async function makeKey(actor: Actor) {
  const { status, body } = await actor.call('POST', KEYS, { name: 'of a test' });
  return { status, body };
}

const isFresh = async (actor: Actor) => (await makeKey(actor)).status === 201;

describeEachGateway('A session', (gateway) => {
  const stale = async (username: string) => makeStale(gateway(), await gateway().user({ username }));
  const changePassword = async (actor: Actor, input: object) => {
    const { status, body } = await actor.call('POST', '/api/auth/change-password', input);
    return { status, code: body['code'] };
  };

  it('is fresh after its sign-in, and refused once it is stale', async () => {
    const user = await gateway().user({ username: 'ages' });
    expect(await isFresh(user)).toBe(true);
    await makeStale(gateway(), user);
    expect(await makeKey(user)).toEqual(REFUSED);
    expect((await user.call('GET', KEYS)).status).toBe(200);
  });

  it('of an older version is stale', async () => {
    const user = await gateway().user({ username: 'upgraded' });
    const { db, tables } = gateway().store;
    await db.update(tables.sessions).set({ fresh_until: null });
    expect(await makeKey(user)).toEqual(REFUSED);
    await stepUp(gateway().admin, { password: 'second-password-2' });
  });

  it('is fresh again for ten minutes after the password was sent', async () => {
    const user = await stale('returns');
    const before = Date.now();
    const { status, body } = await stepUp(user, PROOF);
    expect(status).toBe(200);
    const left_ms = Date.parse(String(body['fresh_until'])) - before;
    expect(left_ms >= 600_000 && left_ms < 660_000).toBe(true);
    expect(await isFresh(user)).toBe(true);
  });

  it('does not make another session of the same user fresh', async () => {
    const first = await stale('at two desks');
    const second = await makeStale(gateway(), await gateway().signIn('at two desks', USER_PASSWORD));
    await stepUp(first, PROOF);
    expect(await makeKey(second)).toEqual(REFUSED);
  });

  it('stays stale after a wrong password', async () => {
    const user = await stale('mistypes');
    expect(await stepUp(user, { password: 'wrong' })).toEqual(WRONG_PASSWORD);
    expect(await makeKey(user)).toEqual(REFUSED);
  });

  it('needs the password: 422 without one', async () => {
    const user = await stale('forgets');
    for (const proof of [{}, { totp_code: '123456' }]) {
      const { status, body } = await stepUp(user, proof);
      expect([status, body['errors']]).toEqual([422, [{ path: 'password', message: 'Required' }]]);
    }
  });

  it('locks the account after ten wrong passwords, and a sign-in then too', async () => {
    const user = await stale('guessed');
    for (let count = 0; count < 10; count += 1) await stepUp(user, { password: 'wrong' });
    expect(await stepUp(user, PROOF)).toEqual(LOCKED);
    expect((await logIn(gateway().anonymous, 'guessed', USER_PASSWORD)).body.code).toBe('account_locked');
    const audit = '/api/auth/audit?username=guessed&action=login_failed';
    expect((await gateway().admin.call('GET', audit)).body).toHaveLength(12);
  });

  it('shares the limit of ten sign-ins a minute from one address', async () => {
    const user = await stale('hasty');
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': '10.200.0.1' };
    const post = (path: string, body: object) =>
      user.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    for (let count = 0; count < 10; count += 1) {
      await post('/api/auth/login', { username: 'hasty', password: USER_PASSWORD });
    }
    expect((await post('/api/auth/step-up', PROOF)).status).toBe(429);
  });

  it('is not stepped up with an API key', async () => {
    const owner = await gateway().user({ username: 'robot' });
    const key = gateway().actor((await createKey(owner)).key);
    expect((await stepUp(key, PROOF)).body['code']).toBe('session_required');
  });

  it('that was ended while its password was checked stays ended', async () => {
    const user = await stale('leaves');
    const [proved] = await Promise.all([stepUp(user, PROOF), user.call('POST', '/api/auth/logout')]);
    expect([200, 401]).toContain(proved.status);
    expect((await makeKey(user)).status).toBe(401);
  });

  it('changes its password without the current one only while it is fresh', async () => {
    const user = await stale('renews');
    const new_password = 'another-password-4';
    expect(await changePassword(user, { new_password })).toEqual({ status: 403, code: 'step_up_required' });
    const wrong = await changePassword(user, { new_password, current_password: 'wrong' });
    expect(wrong).toEqual({ status: 400, code: 'wrong_password' });
    const right = await changePassword(user, { new_password, current_password: USER_PASSWORD });
    expect(right.status).toBe(200);
    expect(await makeKey(user)).toEqual(REFUSED);
    await stepUp(user, { password: new_password });
    expect((await changePassword(user, { new_password: USER_PASSWORD })).status).toBe(200);
  });

  it('makes a forced change without the current password only while it is fresh', async () => {
    const user = await gateway().user({ username: 'forced', must_change_password: true });
    const again = await gateway().signIn('forced', USER_PASSWORD);
    await makeStale(gateway(), user);
    const new_password = 'another-password-4';
    expect(await changePassword(user, { new_password })).toEqual({ status: 403, code: 'step_up_required' });
    expect((await changePassword(again, { new_password })).status).toBe(200);
  });

  it('cannot guess the current password without end: ten wrong ones lock the account', async () => {
    const user = await stale('tries');
    const guess = { new_password: 'another-password-4', current_password: 'wrong' };
    for (let count = 0; count < 5; count += 1) await changePassword(user, guess);
    for (let count = 0; count < 5; count += 1) await stepUp(user, { password: 'wrong' });
    expect(await stepUp(user, PROOF)).toEqual(LOCKED);
  });

  describe('with two-factor', () => {
    async function careful(username: string) {
      standStill();
      const user = await gateway().user({ username });
      const factor = await enrol(user);
      return { user: await makeStale(gateway(), user), ...factor };
    }

    it('needs the password and a code', async () => {
      const { user, nextCode } = await careful('both');
      const { status, body } = await stepUp(user, PROOF);
      expect([status, body['errors']]).toEqual([422, [{ path: 'totp_code', message: 'Required' }]]);
      expect(await makeKey(user)).toEqual(REFUSED);
      expect((await stepUp(user, { ...PROOF, totp_code: nextCode() })).status).toBe(200);
      expect(await isFresh(user)).toBe(true);
    });

    it('accepts a code once', async () => {
      const { user, nextCode } = await careful('replays');
      const proof = { ...PROOF, totp_code: nextCode() };
      expect((await stepUp(user, proof)).status).toBe(200);
      await makeStale(gateway(), user);
      expect(await stepUp(user, proof)).toEqual(WRONG_CODE);
      expect(await makeKey(user)).toEqual(REFUSED);
    });

    it('accepts a recovery code, once', async () => {
      const { user, recovery_codes } = await careful('rescued');
      const proof = { ...PROOF, totp_code: recovery_codes[0] };
      expect((await stepUp(user, proof)).status).toBe(200);
      expect(await stepUp(user, proof)).toEqual(WRONG_CODE);
    });

    it('counts wrong codes towards the lock', async () => {
      const { user, secret } = await careful('codes');
      const proof = { ...PROOF, totp_code: codeAt(secret, Date.now() - 3_600_000) };
      for (let count = 0; count < 10; count += 1) expect(await stepUp(user, proof)).toEqual(WRONG_CODE);
      expect(await stepUp(user, proof)).toEqual(LOCKED);
    });

    it('cannot step up before its second factor', async () => {
      const { nextCode } = await careful('pending');
      const { body } = await logIn(gateway().anonymous, 'pending', USER_PASSWORD);
      const proof = { ...PROOF, totp_code: nextCode() };
      const { status, body: refused } = await stepUp(gateway().actor(body.access_token), proof);
      expect([status, refused['code']]).toEqual([403, 'pending_2fa']);
    });
  });
});

describe('The time that a session stays fresh', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ env: { SERVICE_STEP_UP_SECONDS: '30' } });
  });
  afterAll(() => gateway?.close());

  it('is SERVICE_STEP_UP_SECONDS', async () => {
    const before = Date.now();
    const { body } = await stepUp(gateway.admin, { password: 'second-password-2' });
    const left_ms = Date.parse(String(body['fresh_until'])) - before;
    expect(left_ms >= 30_000 && left_ms < 60_000).toBe(true);
  });
});

describe('A directory user', () => {
  let slapd: Slapd;
  let gateway: TestGateway;
  beforeAll(async () => {
    slapd = await startSlapd();
    gateway = await startGateway({ env: slapd.env() });
  });
  afterAll(async () => {
    await gateway?.close();
    await slapd?.stop();
  });

  it('steps up with the directory’s password', async () => {
    const bob = await makeStale(gateway, await gateway.signIn('bob', 'bob password'));
    expect((await userOf(bob)).source).toBe('ldap');
    expect(await stepUp(bob, { password: 'wrong' })).toEqual(WRONG_PASSWORD);
    expect(await makeKey(bob)).toEqual(REFUSED);
    expect((await stepUp(bob, { password: 'bob password' })).status).toBe(200);
    expect(await isFresh(bob)).toBe(true);
  });
});
