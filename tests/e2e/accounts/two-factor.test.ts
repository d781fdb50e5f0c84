import { eq } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { userOf } from '../../support/features/accounts.ts';
import { codeAt, type Enrolled, enrol, standStill } from '../../support/features/totp.ts';
import { type Actor, describeEachGateway, logIn, USER_PASSWORD } from '../../support/gateway/gateway.ts';

const PERIOD_MS = 30_000;
const TOTP = '/api/auth/totp';
const WRONG_CODE = { status: 401, body: { detail: 'Invalid 2FA code', code: 'invalid_2fa_code' } };
const INVALID_TOKEN = { status: 401, body: { detail: 'Invalid token', code: 'invalid_token' } };
const NOT_SET_UP = { status: 409, body: { detail: 'Two-factor is not set up', code: 'totp_not_set_up' } };
const ENABLED = {
  status: 409,
  body: { detail: 'Two-factor is already enabled', code: 'totp_already_enabled' },
};

beforeEach(standStill);

function pass(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

/** Valid an hour ago. */
function wrongCode({ secret }: { readonly secret: string }): string {
  return codeAt(secret, Date.now() - 120 * PERIOD_MS);
}

describeEachGateway('Two-factor', (gateway) => {
  const login = async (username: string, totp_code?: string, password = USER_PASSWORD) => {
    const { status, body } = await logIn(gateway().anonymous, username, password, totp_code);
    return { status, body };
  };
  const post = async (actor: Actor, path: string, code?: string) => {
    const { status, body } = await actor.call('POST', TOTP + path, code === undefined ? undefined : { code });
    return { status, body };
  };
  const verify = (actor: Actor, code: string) => post(actor, '/verify', code);
  const pending = async (username: string) => gateway().actor((await login(username)).body.access_token);
  const stateOf = async (actor: Actor) => (await actor.call('GET', TOTP)).body;

  async function setUp(actor: Actor): Promise<{ secret: string; qr_uri: string }> {
    return (await actor.call<{ secret: string; qr_uri: string }>('POST', `${TOTP}/setup`)).body;
  }

  async function enrolled(username: string): Promise<{ user: Actor } & Enrolled> {
    const user = await gateway().user({ username });
    return { user, ...(await enrol(user)) };
  }

  describe('The set-up', () => {
    it('returns a secret and its otpauth URI', async () => {
      const { secret, qr_uri } = await setUp(await gateway().user({ username: 'set-up' }));
      expect(secret).toMatch(/^[A-Z2-7]{32}$/);
      const { protocol, host, searchParams } = new URL(qr_uri);
      expect({ protocol, host }).toEqual({ protocol: 'otpauth:', host: 'totp' });
      expect(Object.fromEntries(searchParams)).toEqual({
        secret,
        issuer: 'Sallyport',
        algorithm: 'SHA1',
        digits: '6',
        period: '30',
      });
    });

    it('changes nothing before its first code', async () => {
      const user = await gateway().user({ username: 'not yet' });
      await setUp(user);
      expect(await stateOf(user)).toEqual({ enabled: false, recovery_codes_left: 0 });
      expect((await userOf(user)).totp_enabled).toBe(false);
      expect((await login('not yet')).body.requires_2fa).toBe(false);
    });

    it('is completed by a code, and gives ten recovery codes', async () => {
      const user = await gateway().user({ username: 'completes' });
      const { secret } = await setUp(user);
      const { status, body } = await verify(user, codeAt(secret));
      expect({ status, body }).toEqual({
        status: 200,
        body: { enabled: true, recovery_codes: expect.any(Array) },
      });
      const codes = body['recovery_codes'] as string[];
      expect([codes.length, new Set(codes).size]).toEqual([10, 10]);
      expect(await stateOf(user)).toEqual({ enabled: true, recovery_codes_left: 10 });
      expect((await userOf(user)).totp_enabled).toBe(true);
    });

    it('is not completed by a wrong code', async () => {
      const user = await gateway().user({ username: 'mistypes' });
      const setup = await setUp(user);
      for (const code of [wrongCode(setup), 'abcd-efgh-ijkl-mnop', '1', '12345678']) {
        expect(await verify(user, code)).toEqual(WRONG_CODE);
      }
      expect(await stateOf(user)).toEqual({ enabled: false, recovery_codes_left: 0 });
    });

    it('replaces the first secret when it is started again', async () => {
      const user = await gateway().user({ username: 'again' });
      const [first, second] = [await setUp(user), await setUp(user)];
      expect(first.secret).not.toBe(second.secret);
      expect(await verify(user, codeAt(first.secret))).toEqual(WRONG_CODE);
      expect((await verify(user, codeAt(second.secret))).status).toBe(200);
    });

    it('uses its code up', async () => {
      const user = await gateway().user({ username: 'thrifty' });
      const { secret } = await setUp(user);
      await verify(user, codeAt(secret));
      expect(await login('thrifty', codeAt(secret))).toEqual(WRONG_CODE);
    });

    it('is refused with 409 when two-factor is on', async () => {
      const { user, nextCode } = await enrolled('twice');
      expect(await post(user, '/setup')).toEqual(ENABLED);
      expect(await verify(user, nextCode())).toEqual(ENABLED);
    });

    it('is required before a code in a session means anything: 409', async () => {
      const user = await gateway().user({ username: 'without' });
      for (const path of ['/verify', '/disable', '/recovery-codes']) {
        expect(await post(user, path, '123456')).toEqual(NOT_SET_UP);
      }
    });

    it.each(['', 'x'.repeat(65)])('refuses an impossible code with 422: %j', async (code) => {
      const user = await gateway().user({ username: `no code ${code.length}` });
      expect((await verify(user, code)).status).toBe(422);
    });
  });

  describe('The sign-in', () => {
    it('accepts the code in the same request', async () => {
      const { nextCode } = await enrolled('at once');
      const { status, body } = await login('at once', nextCode());
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { token_type: 'bearer', requires_2fa: false },
      });
      expect((await userOf(gateway().actor(body.access_token))).username).toBe('at once');
    });

    it('refuses a wrong code with 401 Invalid 2FA code', async () => {
      const factor = await enrolled('wrong code');
      expect(await login('wrong code', wrongCode(factor))).toEqual(WRONG_CODE);
    });

    it('checks the password first, and does not use up the code', async () => {
      const code = (await enrolled('in order')).nextCode();
      expect((await login('in order', code, 'wrong')).body.code).toBe('invalid_credentials');
      expect((await login('in order', code)).status).toBe(200);
    });

    it('ignores a code where two-factor is off', async () => {
      await gateway().user({ username: 'plain' });
      expect((await login('plain', '123456')).body.requires_2fa).toBe(false);
    });

    it('without a code returns a token that says pending_2fa and lives 2 minutes', async () => {
      await enrolled('in two steps');
      const { status, body } = await login('in two steps');
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { token_type: 'bearer', requires_2fa: true },
      });
      const claims = decodeJwt(body.access_token);
      expect(claims).toMatchObject({ pending_2fa: true, typ: 'pending_2fa' });
      expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(120);
    });

    it('is completed with that token and a code, once', async () => {
      const { nextCode } = await enrolled('second step');
      const token = await pending('second step');
      const { status, body } = await verify(token, nextCode());
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { token_type: 'bearer', requires_2fa: false },
      });
      expect((await userOf(gateway().actor(String(body['access_token'])))).username).toBe('second step');
      expect(await verify(token, nextCode())).toEqual(INVALID_TOKEN);
    });

    it('can be completed for 2 minutes and no longer', async () => {
      const { secret } = await enrolled('slow');
      const [in_time, late] = [await pending('slow'), await pending('slow')];
      pass(119_000);
      expect((await verify(in_time, codeAt(secret))).status).toBe(200);
      pass(2000);
      expect(await verify(late, codeAt(secret, Date.now() + PERIOD_MS))).toEqual(INVALID_TOKEN);
    });

    it('ends with the fifth wrong code: even the right one is refused', async () => {
      const factor = await enrolled('guesser');
      const token = await pending('guesser');
      for (let count = 0; count < 5; count += 1) {
        expect(await verify(token, wrongCode(factor))).toEqual(WRONG_CODE);
      }
      expect(await verify(token, factor.nextCode())).toEqual(INVALID_TOKEN);
    });

    it('succeeds after four wrong codes', async () => {
      const factor = await enrolled('fumbler');
      const token = await pending('fumbler');
      for (let count = 0; count < 4; count += 1) await verify(token, wrongCode(factor));
      expect((await verify(token, factor.nextCode())).status).toBe(200);
    });

    it('accepts at most five concurrent codes', async () => {
      const factor = await enrolled('stormer');
      const token = await pending('stormer');
      const tries = Array.from({ length: 9 }, () => verify(token, wrongCode(factor)));
      const wrong = (await Promise.all(tries)).filter(({ body }) => body['code'] === 'invalid_2fa_code');
      expect(wrong).toHaveLength(5);
    });

    it('accepts ten codes of a user in a minute, then answers 429', async () => {
      const user = await gateway().user({ username: 'restless' });
      for (let count = 0; count < 10; count += 1) expect(await verify(user, '123456')).toEqual(NOT_SET_UP);
      expect((await verify(user, '123456')).body['code']).toBe('rate_limited');
    });
  });

  describe('A code', () => {
    it('is accepted once', async () => {
      const code = (await enrolled('replayed')).nextCode();
      expect((await login('replayed', code)).status).toBe(200);
      expect(await login('replayed', code)).toEqual(WRONG_CODE);
    });

    it('is refused after a later one was accepted', async () => {
      const { secret } = await enrolled('out of turn');
      pass(2 * PERIOD_MS);
      expect((await login('out of turn', codeAt(secret))).status).toBe(200);
      expect(await login('out of turn', codeAt(secret, Date.now() - PERIOD_MS))).toEqual(WRONG_CODE);
    });

    it('used for two sign-ins at once succeeds exactly once', async () => {
      const code = (await enrolled('doubled')).nextCode();
      const answers = await Promise.all([login('doubled', code), login('doubled', code)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    });

    it('used twice at once with one pending token succeeds exactly once', async () => {
      const { nextCode, recovery_codes } = await enrolled('raced');
      const token = await pending('raced');
      const answers = await Promise.all([
        verify(token, nextCode()),
        verify(token, String(recovery_codes[0])),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    });

    it.each([
      [-2, WRONG_CODE.status],
      [-1, 200],
      [1, 200],
      [2, WRONG_CODE.status],
    ])('%i steps from the right time is answered with %i', async (steps, status) => {
      const username = `drifts ${steps}`;
      const { secret } = await enrolled(username);
      pass(2 * PERIOD_MS); // Beyond the step that the set-up used up.
      const answer = await login(username, codeAt(secret, Date.now() + steps * PERIOD_MS));
      expect(answer.status).toBe(status);
    });

    it('may be typed with spaces', async () => {
      const code = (await enrolled('spacious')).nextCode();
      expect((await login('spacious', ` ${code.slice(0, 3)} ${code.slice(3)} `)).status).toBe(200);
    });

    it('of another user is refused', async () => {
      const { nextCode } = await enrolled('lender');
      await enrolled('borrower');
      expect(await login('borrower', nextCode())).toEqual(WRONG_CODE);
    });
  });

  describe('A recovery code', () => {
    it('works once in place of a code, is counted and is audited', async () => {
      const { user, recovery_codes } = await enrolled('phoneless');
      const [code = ''] = recovery_codes;
      expect((await login('phoneless', code)).status).toBe(200);
      expect(await login('phoneless', code)).toEqual(WRONG_CODE);
      expect(await stateOf(user)).toEqual({ enabled: true, recovery_codes_left: 9 });
      const audit = '/api/auth/audit?username=phoneless&action=recovery_code_use';
      expect((await gateway().admin.call('GET', audit)).body).toHaveLength(1);
    });

    it('completes a sign-in that is pending', async () => {
      const { recovery_codes } = await enrolled('rescued');
      expect((await verify(await pending('rescued'), String(recovery_codes[9]))).status).toBe(200);
    });

    it('may be typed with spaces and capitals', async () => {
      const { recovery_codes } = await enrolled('shouting');
      const typed = ` ${recovery_codes[3]?.toUpperCase().replaceAll('-', ' ')} `;
      expect((await login('shouting', typed)).status).toBe(200);
    });

    it('may be typed without its hyphens', async () => {
      const { recovery_codes } = await enrolled('hasty');
      expect((await login('hasty', recovery_codes[3]?.replaceAll('-', ''))).status).toBe(200);
    });

    it('switches two-factor off', async () => {
      const { user, recovery_codes } = await enrolled('gives up');
      expect((await post(user, '/disable', recovery_codes[0])).status).toBe(200);
    });

    it('used for two sign-ins at once succeeds exactly once', async () => {
      const [code] = (await enrolled('copied')).recovery_codes;
      const answers = await Promise.all([login('copied', code), login('copied', code)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    });

    it('does not interfere with another one used at once', async () => {
      const [first, second] = (await enrolled('two at once')).recovery_codes;
      const answers = await Promise.all([login('two at once', first), login('two at once', second)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    });

    it('of another user is refused', async () => {
      const { recovery_codes } = await enrolled('generous');
      await enrolled('greedy');
      expect(await login('greedy', recovery_codes[0])).toEqual(WRONG_CODE);
    });

    it('is invalid once new ones are generated, which needs a code', async () => {
      const factor = await enrolled('renews');
      expect(await post(factor.user, '/recovery-codes', wrongCode(factor))).toEqual(WRONG_CODE);
      const { status, body } = await post(factor.user, '/recovery-codes', factor.nextCode());
      expect({ status, enabled: body['enabled'] }).toEqual({ status: 200, enabled: true });
      const renewed = body['recovery_codes'] as string[];
      expect(new Set([...renewed, ...factor.recovery_codes]).size).toBe(20);
      expect(await login('renews', factor.recovery_codes[0])).toEqual(WRONG_CODE);
      expect((await login('renews', renewed[0])).status).toBe(200);
    });

    it('may be used to generate new ones', async () => {
      const { user, recovery_codes } = await enrolled('last resort');
      expect((await post(user, '/recovery-codes', recovery_codes[0])).status).toBe(200);
      expect(await stateOf(user)).toEqual({ enabled: true, recovery_codes_left: 10 });
    });
  });

  describe('Two-factor is switched off', () => {
    it('with a code, and then the password alone signs in', async () => {
      const { user, nextCode, recovery_codes } = await enrolled('leaves');
      expect(await post(user, '/disable', nextCode())).toEqual({
        status: 200,
        body: { enabled: false, recovery_codes_left: 0 },
      });
      expect(await stateOf(user)).toEqual({ enabled: false, recovery_codes_left: 0 });
      expect((await login('leaves')).body.requires_2fa).toBe(false);
      const again = await enrol(user);
      expect(await login('leaves', recovery_codes[0])).toEqual(WRONG_CODE);
      expect((await login('leaves', again.recovery_codes[0])).status).toBe(200);
    });

    it('not with a wrong code', async () => {
      const factor = await enrolled('stays');
      expect(await post(factor.user, '/disable', wrongCode(factor))).toEqual(WRONG_CODE);
      expect(await stateOf(factor.user)).toMatchObject({ enabled: true });
    });

    it('by an administrator, completely', async () => {
      const { user } = await enrolled('stranded');
      const { id } = await userOf(user);
      const { body } = await gateway().admin.call('PUT', `/api/auth/users/${id}/totp-reset`);
      expect(body).toMatchObject({ id, totp_enabled: false });
      expect((await login('stranded')).body.requires_2fa).toBe(false);
      expect(await post(user, '/disable', '123456')).toEqual(NOT_SET_UP);
    });
  });

  it('keeps neither the secret nor the recovery codes readable in the database', async () => {
    const { user, secret, recovery_codes } = await enrolled('sealed');
    const { db, tables } = gateway().store;
    const rows = await db
      .select()
      .from(tables.users)
      .where(eq(tables.users.id, (await userOf(user)).id));
    const stored = JSON.stringify(rows).toLowerCase();
    expect(rows[0]?.recovery_digests).toHaveLength(10);
    for (const text of [secret, ...recovery_codes]) {
      expect(stored).not.toContain(text.toLowerCase());
      expect(stored).not.toContain(text.toLowerCase().replaceAll('-', ''));
    }
  });

  describe('Wrong codes lock the account', () => {
    const locked = { status: 429, code: 'account_locked' };
    const lockOf = async (username: string, code: string) => {
      const { status, body } = await login(username, code);
      return { status, code: body.code };
    };

    it('at the sign-in', async () => {
      const factor = await enrolled('battered');
      for (let count = 0; count < 10; count += 1) {
        expect(await login('battered', wrongCode(factor))).toEqual(WRONG_CODE);
      }
      expect(await lockOf('battered', factor.nextCode())).toEqual(locked);
    });

    it('over several pending tokens', async () => {
      const factor = await enrolled('besieged');
      for (let count = 0; count < 2; count += 1) {
        pass(60_000); // The limit of codes per minute is separate.
        const token = await pending('besieged');
        for (let code = 0; code < 5; code += 1) await verify(token, wrongCode(factor));
      }
      expect(await lockOf('besieged', codeAt(factor.secret))).toEqual(locked);
    });

    it('from within a session', async () => {
      const factor = await enrolled('invaded');
      for (let count = 0; count < 10; count += 1) {
        pass(10_000); // The limit of codes per minute is separate.
        expect(await post(factor.user, '/disable', wrongCode(factor))).toEqual(WRONG_CODE);
      }
      expect(await lockOf('invaded', codeAt(factor.secret))).toEqual(locked);
    });
  });

  describe('A pending sign-in ends when', () => {
    const NEW_PASSWORD = 'another-password-4';
    it.each([
      ['the password is changed', (user: Actor) => changePassword(user)],
      [
        'the password is reset',
        async (user: Actor) => byAdmin('PUT', user, '/password', { password: NEW_PASSWORD }),
      ],
      ['the user is disabled', async (user: Actor) => byAdmin('PATCH', user, '', { disabled: true })],
      ['an administrator signs the user out', async (user: Actor) => byAdmin('DELETE', user, '/sessions')],
      ['the user is deleted', async (user: Actor) => byAdmin('DELETE', user, '')],
    ])('%s', async (what, change) => {
      const { user, nextCode } = await enrolled(what);
      const token = await pending(what);
      expect((await change(user)).status).toBeLessThan(300);
      expect(await verify(token, nextCode())).toEqual(INVALID_TOKEN);
    });

    it('the user is disabled, even once enabled again', async () => {
      const { user, nextCode } = await enrolled('off and on');
      const { id } = await userOf(user);
      const token = await pending('off and on');
      for (const disabled of [true, false]) {
        await gateway().admin.call('PATCH', `/api/auth/users/${id}`, { disabled });
      }
      expect(await verify(token, nextCode())).toEqual(INVALID_TOKEN);
    });

    const changePassword = (user: Actor) =>
      user.call('POST', '/api/auth/change-password', { new_password: NEW_PASSWORD });
    const byAdmin = async (method: string, user: Actor, path: string, body?: object) =>
      gateway().admin.call(method, `/api/auth/users/${(await userOf(user)).id}${path}`, body);
  });
});
