import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { User } from '#core/model/accounts/user.ts';
import { createKey, INSTANT, userOf } from '../../support/features/accounts.ts';
import { enrol, standStill } from '../../support/features/totp.ts';
import {
  type Actor,
  describeEachGateway,
  logIn,
  type TestGateway,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';

const USERS = '/api/auth/users';
const NEW_PASSWORD = 'reset-password-5';
const UNKNOWN = `${USERS}/2147483647`;

describeEachGateway('User management', (gateway) => {
  const { create, change } = verbsOf(gateway);

  it('answers a created user with 201 and only the user object', async () => {
    const answer = await create({ username: 'Ada', allowed_groups: ['lab', 'ops'] });
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 201,
      body: {
        id: expect.any(Number),
        username: 'Ada',
        is_admin: false,
        must_change_password: false,
        totp_enabled: false,
        allowed_groups: ['lab', 'ops'],
        source: 'local',
        disabled: false,
        is_default_admin: false,
        created_at: expect.stringMatching(INSTANT),
      },
    });
    expect((await logIn(gateway().anonymous, 'Ada', USER_PASSWORD)).status).toBe(200);
  });

  it('creates administrators, and users who must change the password first', async () => {
    const { body } = await create({ username: 'chief', is_admin: true, must_change_password: true });
    expect(body).toMatchObject({ is_admin: true, must_change_password: true, allowed_groups: [] });
    const chief = await gateway().signIn('chief', USER_PASSWORD);
    expect((await chief.call('GET', USERS)).body['code']).toBe('password_change_required');
  });

  it('lists all users by name, without a hash or a secret', async () => {
    standStill();
    const { secret } = await enrol(await gateway().user({ username: 'zoe' }));
    const { status, body } = await gateway().admin.call<User[]>('GET', USERS);
    const names = body.map(({ username }) => username.toLowerCase());
    expect({ status, names }).toEqual({ status: 200, names: names.toSorted() });
    expect(body.find(({ username }) => username === 'zoe')).toMatchObject({ totp_enabled: true });
    expect(JSON.stringify(body)).not.toMatch(/argon2|hash|sealed|secret|digest|step/);
    expect(JSON.stringify(body)).not.toContain(secret);
  });

  it('lists a page of users, with the length of the whole list', async () => {
    await create();
    await create();
    const all = (await gateway().admin.call<User[]>('GET', USERS)).body;
    const { status, body, headers } = await gateway().admin.call<User[]>('GET', `${USERS}?limit=1&offset=1`);
    expect({ status, body, total: headers.get('x-total-count') }).toEqual({
      status: 200,
      body: [all[1]],
      total: String(all.length),
    });
    expect((await gateway().admin.call('GET', `${USERS}?limit=501`)).status).toBe(422);
  });

  it('answers every change with 200 and the user object, and a deletion with 204 without body', async () => {
    const { body: user } = await create();
    const path = `${USERS}/${user.id}`;
    const { admin } = gateway();
    const groups = await admin.call('PUT', `${path}/groups`, { allowed_groups: ['lab'] });
    expect({ status: groups.status, body: groups.body }).toEqual({
      status: 200,
      body: { ...user, allowed_groups: ['lab'] },
    });
    const reset = await admin.call('PUT', `${path}/password`, { password: NEW_PASSWORD });
    expect({ status: reset.status, body: reset.body }).toEqual({ status: 200, body: groups.body });
    const totp = await admin.call('PUT', `${path}/totp-reset`);
    expect({ status: totp.status, body: totp.body }).toEqual({ status: 200, body: groups.body });
    const patched = await change(user.id, { is_admin: true });
    expect(patched).toMatchObject({ status: 200, body: { ...groups.body, is_admin: true } });
    const deleted = await admin.call('DELETE', path);
    expect({ status: deleted.status, body: deleted.body }).toEqual({ status: 204, body: '' });
  });

  it.each([
    ['Émile', 'ÉMILE'],
    ['Zoe\u0308 2', 'ZOË 2'],
    ['grace', 'grace'],
  ])('keeps names unique ignoring case: %j and %j', async (first, second) => {
    expect((await create({ username: first })).status).toBe(201);
    const { status, body } = await create({ username: second });
    expect({ status, body }).toEqual({
      status: 409,
      body: { detail: 'This username is already taken', code: 'username_taken' },
    });
  });

  it('gives a name to exactly one of two concurrent requests', async () => {
    const answers = await Promise.all([create({ username: 'twin' }), create({ username: 'TWIN' })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it.each([
    ['no character', ''],
    ['151 characters', 'x'.repeat(151)],
    ['10,000 characters', 'x'.repeat(10_000)],
    ['a space at the start', ' name'],
    ['a space at the end', 'name '],
    ['a no-break space at the end', 'name\u00a0'],
    ['a space alone', ' '],
    ['NUL', 'na\u0000me'],
    ['a line break', 'na\nme'],
    ['DEL', 'na\u007fme'],
    ['full-width letters', 'ａdmin'],
    ['two spaces in a row', 'na  me'],
    ['a zero-width space', 'na\u200bme'],
    ['a byte order mark', 'na\ufeffme'],
    ['a bidi override', 'na\u202eme'],
    ['a bidi isolate', 'na\u2066me'],
    ['a line separator', 'na\u2028me'],
    ['half a surrogate pair', 'na\ud800me'],
    ['a letter that cannot be seen', '\u3164'],
    ['a joiner that cannot be seen', 'na\u034fme'],
    ['no text at all', 7],
  ])('refuses a name of %s with 422', async (_what, username) => {
    const answer = await create({ username });
    expect(codeOf(answer)).toEqual({ status: 422, code: 'validation' });
    expect(answer.body).toMatchObject({
      errors: expect.arrayContaining([expect.objectContaining({ path: 'username' })]),
    });
  });

  it('accepts names of 1 and of 150 characters, with spaces and letters of any script', async () => {
    for (const username of ['x', 'y'.repeat(150), 'Анна Ивановна', '名 前', "o'brien@example.org"]) {
      expect((await create({ username })).status).toBe(201);
      expect((await logIn(gateway().anonymous, username, USER_PASSWORD)).status).toBe(200);
    }
  });

  it('keeps each group once, in the given order', async () => {
    const { body } = await create({ allowed_groups: ['b', 'a', 'b', 'a'] });
    expect(body.allowed_groups).toEqual(['b', 'a']);
    const path = `${USERS}/${body.id}/groups`;
    const changed = await gateway().admin.call('PUT', path, { allowed_groups: ['c', 'c'] });
    expect(changed.body['allowed_groups']).toEqual(['c']);
  });

  it.each([
    ['an empty name', ['']],
    ['a name with a space at its end', ['lab ']],
    ['a name with a control character', ['la\u0000b']],
    ['a name of 101 characters', ['x'.repeat(101)]],
    ['no list', 'lab'],
  ])('refuses groups with %s with 422', async (_what, allowed_groups) => {
    expect((await create({ allowed_groups })).status).toBe(422);
    const { body: user } = await create({ allowed_groups: ['lab'] });
    const path = `${USERS}/${user.id}/groups`;
    expect((await gateway().admin.call('PUT', path, { allowed_groups })).status).toBe(422);
  });

  it.each([
    ['an unknown key', { username: 'renamed' }],
    ['a value of another type', { disabled: 'yes' }],
    ['null', { is_admin: null }],
  ])('refuses a PATCH with %s with 422', async (_what, patch) => {
    const { body: user } = await create();
    const { status, body } = await gateway().admin.call('PATCH', `${USERS}/${user.id}`, patch);
    expect({ status, code: body['code'] }).toEqual({ status: 422, code: 'validation' });
  });

  it('changes nothing with an empty PATCH', async () => {
    const { body: user } = await create();
    expect(await change(user.id, {})).toMatchObject({ status: 200, body: user });
  });

  it.each([
    ['PATCH', '', { disabled: true }],
    ['PATCH', '', { must_change_password: true }],
    ['PATCH', '', {}],
    ['PUT', '/groups', { allowed_groups: [] }],
    ['PUT', '/password', { password: NEW_PASSWORD }],
    ['PUT', '/totp-reset', undefined],
    ['GET', '/sessions', undefined],
    ['DELETE', '/sessions', undefined],
    ['DELETE', '', undefined],
  ])('answers %s%s of an unknown user with 404', async (method, what, input) => {
    const { status, body } = await gateway().admin.call(method, UNKNOWN + what, input);
    expect({ status, body }).toEqual({
      status: 404,
      body: { detail: 'User not found', code: 'user_not_found' },
    });
  });

  it.each(['0', '-1', 'x', '2147483648', '1.5'])('does not know the id %s', async (id) => {
    expect((await gateway().admin.call('DELETE', `${USERS}/${id}`)).status).toBe(404);
  });

  describe('The password of a user', () => {
    it.each([
      ['shorter than 8 characters', 'seven77'],
      ['longer than 256 characters', 'x'.repeat(257)],
      ['longer than 10,000 characters', 'x'.repeat(10_001)],
      ['equal to the username', 'PICKY user'],
      ['among the most common', 'Password123'],
    ])('is refused with 422 when it is %s: created, changed or reset', async (what, password) => {
      const refused = { status: 422, code: 'validation' };
      const username = what === 'equal to the username' ? 'picky USER' : `picky: ${what}`;
      expect(codeOf(await create({ username, password }))).toEqual(refused);
      const user = await gateway().user({ username });
      const changed = await user.call('POST', '/api/auth/change-password', { new_password: password });
      expect(codeOf(changed)).toEqual(refused);
      const path = `${USERS}/${(await userOf(user)).id}/password`;
      expect(codeOf(await gateway().admin.call('PUT', path, { password }))).toEqual(refused);
    });

    it('may have 8 characters, and 256', async () => {
      for (const password of ['eight88!', 'ß'.repeat(256)]) {
        const { body } = await create({ password });
        expect((await logIn(gateway().anonymous, body.username, password)).status).toBe(200);
      }
    });

    it('when reset, replaces the old one and ends every session', async () => {
      const user = await gateway().user({ username: 'forgot' });
      const path = `${USERS}/${(await userOf(user)).id}/password`;
      await gateway().admin.call('PUT', path, { username: 'FORGOT', password: NEW_PASSWORD });
      expect((await user.call('GET', '/api/auth/me')).body['code']).toBe('invalid_token');
      expect((await logIn(gateway().anonymous, 'forgot', USER_PASSWORD)).status).toBe(401);
      expect((await logIn(gateway().anonymous, 'forgot', NEW_PASSWORD)).status).toBe(200);
    });

    it('may be reset to one that must be changed', async () => {
      const { body: user } = await create();
      const path = `${USERS}/${user.id}/password`;
      const input = { password: NEW_PASSWORD, must_change_password: true };
      expect((await gateway().admin.call('PUT', path, input)).body['must_change_password']).toBe(true);
      const actor = await gateway().signIn(user.username, NEW_PASSWORD);
      expect((await actor.call('GET', '/api/servers')).body['code']).toBe('password_change_required');
    });

    it('is not reset under another user’s name: 422', async () => {
      const { body: user } = await create();
      const path = `${USERS}/${user.id}/password`;
      const input = { username: 'admin', password: NEW_PASSWORD };
      const { status, body } = await gateway().admin.call('PUT', path, input);
      expect({ status, body }).toMatchObject({ status: 422, body: { errors: [{ path: 'username' }] } });
      expect((await logIn(gateway().anonymous, user.username, USER_PASSWORD)).status).toBe(200);
    });
  });

  it('cannot be used by an administrator to switch off their own second factor without a code', async () => {
    const chief = await gateway().user({ username: 'own-factor', is_admin: true });
    const { id } = await userOf(chief);
    await enrol(chief);
    const { status, body } = await chief.call('PUT', `/api/auth/users/${id}/totp-reset`);
    expect([status, body['code']]).toEqual([409, 'own_account']);
    expect((await userOf(chief)).totp_enabled).toBe(true);
  });

  describe('A disabled account', () => {
    async function disabled(username: string) {
      const user = await gateway().user({ username });
      const key = gateway().actor((await createKey(user)).key);
      const { id } = await userOf(user);
      expect((await change(id, { disabled: true })).body).toMatchObject({ disabled: true });
      return { user, key, id };
    }

    it('cannot sign in: 401, as with a wrong password', async () => {
      await disabled('barred');
      const { status, body } = await logIn(gateway().anonymous, 'barred', USER_PASSWORD);
      expect({ status, body }).toEqual({
        status: 401,
        body: { detail: 'Invalid credentials', code: 'invalid_credentials' },
      });
    });

    it('has no valid session and no valid API key', async () => {
      const { user, key } = await disabled('locked out');
      expect((await user.call('GET', '/api/auth/me')).body['code']).toBe('invalid_token');
      expect((await key.call('GET', '/api/servers')).body['code']).toBe('invalid_api_key');
    });

    it('can sign in again once enabled, but its old sessions stay invalid', async () => {
      const { user, key, id } = await disabled('back again');
      await change(id, { disabled: false });
      expect((await user.call('GET', '/api/auth/me')).body['code']).toBe('invalid_token');
      expect((await key.call('GET', '/api/servers')).status).toBe(200);
      expect((await logIn(gateway().anonymous, 'back again', USER_PASSWORD)).status).toBe(200);
    });
  });

  describe('An open session', () => {
    it('follows a change of groups at the next request', async () => {
      const { id: server_id } = await gateway().addServer({ name: 'felt', group: 'felt', port: 1 });
      const user = await gateway().user({ username: 'regrouped', allowed_groups: ['felt'] });
      expect((await user.call('GET', '/api/servers')).body).toHaveLength(1);
      const path = `${USERS}/${(await userOf(user)).id}/groups`;
      await gateway().admin.call('PUT', path, { allowed_groups: ['other'] });
      expect((await user.call('GET', '/api/servers')).body).toEqual([]);
      expect((await user.call('GET', `/api/servers/${server_id}`)).body['code']).toBe('server_not_found');
      await gateway().admin.call('PUT', path, { allowed_groups: ['felt'] });
      expect((await user.call('GET', `/api/servers/${server_id}`)).status).toBe(200);
    });

    it('follows promotion and demotion at the next request', async () => {
      const user = await gateway().user({ username: 'promoted' });
      const { id } = await userOf(user);
      await change(id, { is_admin: true });
      expect((await user.call('GET', USERS)).status).toBe(200);
      await change(id, { is_admin: false });
      const { status, body } = await user.call('GET', USERS);
      expect({ status, body }).toEqual({ status: 403, body: { detail: 'Admin only', code: 'admin_only' } });
    });

    it('ends when a password change is required, and the next one must change it first', async () => {
      const before = await gateway().user({ username: 'overdue' });
      await change((await userOf(before)).id, { must_change_password: true });
      const changed = await before.call('POST', '/api/auth/change-password', { new_password: NEW_PASSWORD });
      expect([changed.status, changed.body['code']]).toEqual([401, 'invalid_token']);
      const user = await gateway().signIn('overdue', USER_PASSWORD);
      const { status, body } = await user.call('GET', '/api/servers');
      expect({ status, body }).toEqual({
        status: 403,
        body: { detail: 'Password change required', code: 'password_change_required' },
      });
      await user.call('POST', '/api/auth/change-password', { new_password: NEW_PASSWORD });
      expect((await user.call('GET', '/api/servers')).status).toBe(200);
    });
  });

  it('deletes sessions and API keys with their user, also for a later user with that name', async () => {
    const user = await gateway().user({ username: 'phoenix' });
    const key = gateway().actor((await createKey(user)).key);
    const { id } = await userOf(user);
    await gateway().admin.call('DELETE', `${USERS}/${id}`);
    expect((await logIn(gateway().anonymous, 'phoenix', USER_PASSWORD)).status).toBe(401);
    const { body: reborn } = await create({ username: 'phoenix' });
    expect(reborn.id).not.toBe(id);
    expect((await user.call('GET', '/api/auth/me')).body['code']).toBe('invalid_token');
    expect((await key.call('GET', '/api/servers')).body['code']).toBe('invalid_api_key');
  });
});

describeEachGateway('The last enabled administrator', (gateway) => {
  const { change } = verbsOf(gateway);
  const LAST = {
    status: 409,
    body: { detail: 'At least one enabled administrator must remain', code: 'last_admin' },
  };
  const PROTECTED = {
    status: 400,
    body: { detail: 'Cannot delete the default administrator', code: 'protected_account' },
  };

  async function defaultAdmin(): Promise<number> {
    const { body } = await gateway().admin.call<User[]>('GET', USERS);
    return body.find(({ is_default_admin }) => is_default_admin)?.id ?? 0;
  }

  it('is the default one at first, who cannot be disabled', async () => {
    expect(await change(await defaultAdmin(), { disabled: true })).toEqual(LAST);
  });

  it.each([
    ['deleted', 'DELETE', undefined],
    ['demoted', 'PATCH', { is_admin: false }],
  ])('never has the default one %s, whatever other administrators exist', async (_what, method, input) => {
    const chief = await gateway().user({ username: `chief ${method}`, is_admin: true });
    const { status, body } = await chief.call(method, `${USERS}/${await defaultAdmin()}`, input);
    expect({ status, body }).toEqual(PROTECTED);
    await gateway().admin.call('DELETE', `${USERS}/${(await userOf(chief)).id}`);
  });

  it('may be another one while the default one is disabled, and is then kept', async () => {
    const chief = await gateway().user({ username: 'successor', is_admin: true });
    const { id } = await userOf(chief);
    const default_id = await defaultAdmin();
    const off = await chief.call('PATCH', `${USERS}/${default_id}`, { disabled: true });
    expect(off).toMatchObject({ status: 200, body: { disabled: true } });
    for (const [method, input] of [
      ['DELETE'],
      ['PATCH', { is_admin: false }],
      ['PATCH', { disabled: true }],
    ] as const) {
      const { status, body } = await chief.call(method, `${USERS}/${id}`, input);
      expect({ status, body }).toEqual(LAST);
    }
    expect((await chief.call('DELETE', `${USERS}/${default_id}`)).body['code']).toBe('protected_account');
    const on = await chief.call('PATCH', `${USERS}/${default_id}`, { disabled: false });
    expect(on).toMatchObject({ status: 200, body: { disabled: false, is_admin: true } });
  });

  it.each([
    ['delete', 'DELETE', undefined],
    ['demote', 'PATCH', { is_admin: false }],
    ['disable', 'PATCH', { disabled: true }],
  ])('remains when two %s each other at once', async (what, method, input) => {
    await withoutDefaultAdmin(async () => {
      for (let round = 0; round < 5; round += 1) {
        const names = ['a', 'b'].map((letter) => `${what} ${round} ${letter}`);
        const [a, b] = await Promise.all(names.map((name) => rival(name)));
        if (!a || !b) throw new Error('No rivals');
        await retireOthers(names);
        await Promise.all([
          a.actor.call(method, `${USERS}/${b.id}`, input),
          b.actor.call(method, `${USERS}/${a.id}`, input),
        ]);
        expect(await enabledAdmins()).toHaveLength(1);
      }
    });
  });

  async function rival(username: string): Promise<{ actor: Actor; id: number }> {
    const actor = await gateway().user({ username, is_admin: true });
    return { actor, id: (await userOf(actor)).id };
  }

  async function withoutDefaultAdmin(work: () => Promise<void>): Promise<void> {
    const { db, tables } = gateway().store;
    const isDefault = eq(tables.users.is_default_admin, true);
    await db.update(tables.users).set({ disabled: true }).where(isDefault);
    await work();
    await db.update(tables.users).set({ disabled: false }).where(isDefault);
  }

  async function enabledAdmins() {
    const rows = await gateway().store.db.select().from(gateway().store.tables.users);
    return rows.filter(({ is_admin, disabled }) => is_admin && !disabled);
  }

  /** Directly in the database, so that the rivals are the only administrators. */
  async function retireOthers(names: readonly string[]): Promise<void> {
    const { db, tables } = gateway().store;
    for (const { id, username } of await enabledAdmins()) {
      if (names.includes(username)) continue;
      await db.update(tables.users).set({ is_admin: false }).where(eq(tables.users.id, id));
    }
  }
});

let created = 0;

function verbsOf(gateway: () => TestGateway) {
  return {
    create(fields: object = {}) {
      created += 1;
      const defaults = { username: `created ${created}`, password: USER_PASSWORD };
      return gateway().admin.call<User>('POST', USERS, { ...defaults, ...fields });
    },
    async change(id: number, patch: object) {
      const { status, body } = await gateway().admin.call('PATCH', `${USERS}/${id}`, patch);
      return { status, body };
    },
  };
}

function codeOf({ status, body }: { status: number; body: object }) {
  return { status, code: 'code' in body ? body.code : undefined };
}
