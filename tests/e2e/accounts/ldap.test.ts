import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { User } from '#core/model/accounts/user.ts';
import type { AuditEntry } from '#core/model/audit/audit.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl, silent } from '../../support/databases/stores.ts';
import { createKey, openShell, userOf } from '../../support/features/accounts.ts';
import { enrol, standStill } from '../../support/features/totp.ts';
import {
  type Actor,
  logIn,
  startGateway,
  type TestGateway,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';
import { IS_BALANCED } from '../../support/gateway/is-balanced.ts';
import { DIRECTORY_GROUPS, PERSONS, type Slapd, startSlapd } from '../../support/hosts/slapd.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { freePort } from '../../support/hosts/tcp.ts';

const INVALID = { status: 401, body: { detail: 'Invalid credentials', code: 'invalid_credentials' } };
const UNAVAILABLE = {
  status: 503,
  body: { detail: 'The directory does not answer; try again later', code: 'directory_unavailable' },
};
const STINGY = 'sizelimit size.soft=1 size.hard=1 size.prtotal=1'; // of everything, also of all pages together
const DIRECTORY_ACCOUNT = {
  status: 409,
  body: { detail: 'The directory manages the password of this account', code: 'directory_account' },
};

let slapd: Slapd;
let sshd: Sshd;
beforeAll(async () => {
  [slapd, sshd] = await Promise.all([startSlapd(), startSshd()]);
});
afterAll(async () => {
  await slapd?.stop();
  await sshd?.stop();
});

async function login({ anonymous }: TestGateway, username: string, password = `${username} password`) {
  const { status, body } = await logIn(anonymous, username, password);
  return { status, body };
}

/** Why the last sign-in under this name was refused, according to the log. */
async function reason({ admin }: TestGateway, username: string): Promise<string | undefined> {
  const query = `/api/auth/audit?action=login_failed&username=${encodeURIComponent(username)}`;
  return (await admin.call<AuditEntry[]>('GET', query)).body[0]?.detail;
}

describe.each(DIALECTS)('Sign-in through the directory (%s)', (dialect) => {
  let database: FreshDatabase;
  let gateway: TestGateway;
  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    gateway = await startGateway({ database_url: database.url, env: slapd.env() });
  });
  afterAll(async () => {
    await gateway?.close();
    await database?.cleanup();
  });

  const signIn = (username: string, password = `${username} password`) => gateway.signIn(username, password);
  const userPath = async (actor: Actor) => `/api/auth/users/${(await userOf(actor)).id}`;

  /** A separate entry, removed after the test. */
  async function entry(uid: string, dn = `uid=${uid},${slapd.people}`): Promise<string> {
    const password = { userPassword: `${uid} password` };
    await slapd.add(dn, { objectClass: 'inetOrgPerson', cn: uid, sn: uid, uid, ...password });
    onTestFinished(() => slapd.remove(dn).catch(() => undefined));
    return dn;
  }

  it('creates the user at the first success, with groups and role from the directory', async () => {
    const common = { source: 'ldap', must_change_password: false, totp_enabled: false, disabled: false };
    expect(await userOf(await signIn('bob'))).toMatchObject({
      ...common,
      ...{ username: 'bob', is_admin: false, allowed_groups: ['lab'] },
    });
    expect(await userOf(await signIn('alice'))).toMatchObject({
      ...common,
      ...{ username: 'alice', is_admin: true, allowed_groups: ['lab'] },
    });
    expect(await userOf(await signIn('john'))).toMatchObject({
      ...common,
      ...{ username: 'john', is_admin: false, allowed_groups: ['lab', 'ops'] },
    });
  });

  it('creates no user after a failure', async () => {
    expect(await login(gateway, 'twin1', 'wrong')).toEqual(INVALID);
    const { body } = await gateway.admin.call<User[]>('GET', '/api/auth/users');
    expect(body.map(({ username }) => username)).not.toContain('twin1');
  });

  it('is audited as a directory sign-in', async () => {
    await signIn('bob');
    const query = '/api/auth/audit?action=login&username=bob';
    const { body } = await gateway.admin.call<AuditEntry[]>('GET', query);
    expect(body[0]).toMatchObject({ username: 'bob', detail: 'ldap' });
  });

  it('refreshes groups and role at every sign-in, for open sessions too', async () => {
    const before = await signIn('bob');
    onTestFinished(() => slapd.setGroups('bob', ['developers']));
    await slapd.setGroups('bob', ['admins', 'ops, (night)*']);
    expect(await userOf(before)).toMatchObject({ is_admin: false, allowed_groups: ['lab'] });
    await signIn('bob');
    expect(await userOf(before)).toMatchObject({ is_admin: true, allowed_groups: ['ops'] });
    await slapd.setGroups('bob', []);
    await signIn('bob');
    expect(await userOf(before)).toMatchObject({ is_admin: false, allowed_groups: [] });
  });

  it('records what it changed, without the names of groups', async () => {
    onTestFinished(() => slapd.setGroups('bob', ['developers']));
    const { id } = await userOf(await signIn('bob'));
    const since = new Date().toISOString();
    await slapd.setGroups('bob', ['admins']);
    await signIn('bob');
    const query = `/api/auth/audit?username=bob&since=${since}`;
    const { body } = await gateway.admin.call<AuditEntry[]>('GET', query);
    expect(body.map(({ action, detail }) => `${action} ${detail}`)).toEqual([
      'login ldap',
      `user_update bob (#${id}) by the directory: is_admin: true`,
      `user_groups bob (#${id}) by the directory`,
    ]);
    const created = '/api/auth/audit?username=bob&action=user_create';
    expect((await gateway.admin.call('GET', created)).body).toMatchObject([
      { detail: `bob (#${id}) by the directory` },
    ]);
  });

  it('ends an open terminal when the group is gone at the next sign-in', async () => {
    const { port, username, password } = sshd;
    const { id } = await gateway.addServer({ port, username, password });
    const shell = await openShell(gateway, id, (await signIn('bob')).token);
    onTestFinished(() => slapd.setGroups('bob', ['developers']));
    await slapd.setGroups('bob', []);
    await signIn('bob');
    if (IS_BALANCED) await shell.closed();
    shell.send({ type: 'ping' });
    await expect(shell.frame('pong')).rejects.toThrow('Closed (4009');
  });

  it('checks local accounts first', async () => {
    await gateway.user({ username: 'twin2', allowed_groups: ['own'] });
    expect(await userOf(await signIn('twin2', USER_PASSWORD))).toMatchObject({
      source: 'local',
      allowed_groups: ['own'],
    });
  });

  it.each(['jürgen', 'JÜRGEN'])('never takes over a local account of the same name: %s', async (typed) => {
    const local = { username: 'jürgen', password: USER_PASSWORD, allowed_groups: ['own'] };
    await gateway.admin.call('POST', '/api/auth/users', local);
    expect(await login(gateway, typed, 'jürgen password')).toEqual(INVALID);
    expect(await reason(gateway, 'jürgen')).toBe(
      'the directory accepts it, but a local account has this name',
    );
    const user = await userOf(await signIn('jürgen', USER_PASSWORD));
    expect(user).toMatchObject({ source: 'local', allowed_groups: ['own'] });
  });

  it.each([
    ['an empty password', 'bob', ''],
    ['a wrong password', 'bob', 'alice password'],
    ['a wildcard', '*', 'alice password'],
    ['a wildcard behind a name', 'ali*', 'alice password'],
    ['a second condition', 'alice)(uid=*', 'alice password'],
    ['a condition that all fulfil', '*)(objectClass=*', 'alice password'],
    ['a DN', PERSONS.alice, 'alice password'],
    ['a name with NUL', 'alice\u0000', 'alice password'],
    ['an entry without a password', 'locked', 'anything'],
    ['the service account', 'gateway', 'gateway password'],
  ])('refuses %s', async (_what, username, password) => {
    expect(await login(gateway, username, password)).toEqual(INVALID);
  });

  it('finds one account under every spelling, and shows the directory’s', async () => {
    const ids = [];
    for (const typed of ['carol', 'CAROL', 'Carol', 'Carol.Smith', 'csmith']) {
      const user = await userOf(await signIn(typed, 'carol password'));
      expect(user.username).toBe('carol');
      ids.push(user.id);
    }
    expect(new Set(ids).size).toBe(1);
  });

  it('never gives an account to another entry, whatever names the entry takes', async () => {
    const [alice, bob] = [await userOf(await signIn('alice')), await userOf(await signIn('bob'))];
    onTestFinished(() => slapd.replace(PERSONS.bob, 'uid', ['bob']));
    await slapd.replace(PERSONS.bob, 'uid', ['bob', 'alice', 'admin']);
    expect(await userOf(await signIn('bob'))).toEqual(bob);
    expect(await login(gateway, 'alice', 'bob password')).toEqual(INVALID);
    expect(await login(gateway, 'admin', 'bob password')).toEqual(INVALID);
    expect(await reason(gateway, 'admin')).toBe(
      'the directory accepts it, but a local account has this name',
    );
    expect(await userOf(await signIn('bob'))).not.toMatchObject({ id: alice.id });
  });

  it('requires the second factor under a name that was added later too', async () => {
    standStill();
    const dn = await entry('zealous', `cn=zealous,${slapd.people}`);
    await enrol(await signIn('zealous'));
    await slapd.replace(dn, 'uid', ['aardvark', 'zealous']);
    for (const typed of ['aardvark', 'zealous']) {
      expect((await login(gateway, typed, 'zealous password')).body).toMatchObject({ requires_2fa: true });
    }
  });

  it('renames the account with its entry unless the name is taken', async () => {
    const dn = await entry('maiden', `cn=maiden,${slapd.people}`);
    const maiden = await userOf(await signIn('maiden'));
    await slapd.replace(dn, 'uid', ['wed']);
    expect(await userOf(await signIn('wed', 'maiden password'))).toEqual({ ...maiden, username: 'wed' });
    const gone = await entry('predecessor');
    await signIn('predecessor');
    await slapd.remove(gone);
    await slapd.replace(dn, 'uid', ['predecessor']);
    expect(await userOf(await signIn('predecessor', 'maiden password'))).toMatchObject({
      id: maiden.id,
      username: 'wed',
    });
  });

  it('does not give the account of a removed entry to a new entry with its name', async () => {
    const dn = await entry('heirloom');
    await signIn('heirloom');
    await slapd.remove(dn);
    await entry('heirloom');
    expect(await login(gateway, 'heirloom')).toEqual(INVALID);
    expect(await reason(gateway, 'heirloom')).toBe(
      'the directory accepts it, but another account has this name',
    );
  });

  it('creates one account for two concurrent first sign-ins', async () => {
    for (const name of ['rash', 'hasty', 'speedy']) {
      await entry(name);
      const actors = await Promise.all([signIn(name), signIn(name), signIn(name)]);
      const ids = await Promise.all(actors.map(async (actor) => (await userOf(actor)).id));
      expect(new Set(ids).size).toBe(1);
    }
  });

  it('refuses a disabled account even when the directory accepts the password', async () => {
    await entry('barred');
    await gateway.admin.call('PATCH', await userPath(await signIn('barred')), { disabled: true });
    expect(await login(gateway, 'barred')).toEqual(INVALID);
    expect(await reason(gateway, 'barred')).toBe('the account is disabled');
  });

  it('refuses a removed entry, but keeps its open sessions', async () => {
    const dn = await entry('leaver');
    const user = await signIn('leaver');
    await slapd.remove(dn);
    expect(await login(gateway, 'leaver')).toEqual(INVALID);
    expect((await user.call('GET', '/api/auth/me')).status).toBe(200);
  });

  it('counts failures towards the lock of the account', async () => {
    await entry('besieged');
    for (let count = 0; count < 10; count += 1) {
      expect(await login(gateway, 'besieged', 'wrong')).toEqual(INVALID);
    }
    expect((await login(gateway, 'besieged')).body.code).toBe('account_locked');
  });

  it('counts them under every equivalent spelling', async () => {
    await entry('manifold');
    const spellings = [
      'ｍanifold',
      'mａnifold',
      'maｎifold',
      'manｉfold',
      'maniｆold',
      'manifｏld',
      'manifoｌd',
    ];
    for (const typed of [...spellings, 'MANIFOLD', 'Manifold', 'manifold']) {
      expect(await login(gateway, typed, 'wrong')).toEqual(INVALID);
    }
    expect((await login(gateway, 'manifold')).body.code).toBe('account_locked');
  });

  it.each([
    [
      'changed',
      async (user: Actor) =>
        user.call('POST', '/api/auth/change-password', { new_password: 'another-password-4' }),
    ],
    [
      'reset',
      async (user: Actor) =>
        gateway.admin.call('PUT', `${await userPath(user)}/password`, { password: 'another-password-4' }),
    ],
    [
      'made due for a change',
      async (user: Actor) =>
        gateway.admin.call('PATCH', await userPath(user), { must_change_password: true }),
    ],
  ])('keeps the password in the directory: it cannot be %s here, 409', async (_what, change) => {
    const { status, body } = await change(await signIn('bob'));
    expect({ status, body }).toEqual(DIRECTORY_ACCOUNT);
  });

  it('requires the second factor as well', async () => {
    standStill();
    await entry('careful');
    const { nextCode } = await enrol(await signIn('careful'));
    expect((await login(gateway, 'careful')).body).toMatchObject({ requires_2fa: true });
    expect((await login(gateway, 'careful', 'wrong')).body.code).toBe('invalid_credentials');
    const complete = await logIn(gateway.anonymous, 'careful', 'careful password', nextCode());
    expect(complete.body).toMatchObject({ requires_2fa: false });
  });

  it('issues API keys that follow the owner’s rights', async () => {
    await entry('automaton');
    const owner = await signIn('automaton');
    const key = gateway.actor((await createKey(owner)).key);
    expect((await key.call('GET', '/api/servers')).status).toBe(200);
    await gateway.admin.call('DELETE', await userPath(owner));
    expect((await key.call('GET', '/api/servers')).body['code']).toBe('invalid_api_key');
  });
});

describe('A directory without a group base', () => {
  it('keeps groups and role as an administrator has set them', async () => {
    const { SERVICE_LDAP_GROUP_BASE: _, ...env } = slapd.env();
    const gateway = await running({ env });
    const { id, ...first } = await userOf(await gateway.signIn('alice', 'alice password'));
    expect(first).toMatchObject({ is_admin: false, allowed_groups: [] });
    await gateway.admin.call('PUT', `/api/auth/users/${id}/groups`, { allowed_groups: ['own'] });
    await gateway.admin.call('PATCH', `/api/auth/users/${id}`, { is_admin: true });
    const again = await userOf(await gateway.signIn('alice', 'alice password'));
    expect(again).toMatchObject({ id, is_admin: true, allowed_groups: ['own'] });
  });
});

describe('Administrators from a directory', () => {
  it('are not granted by a group whose name is the DN of another group', async () => {
    const { admins } = DIRECTORY_GROUPS;
    const gateway = await running({
      env: { ...slapd.env(), SERVICE_LDAP_ADMIN_GROUPS: JSON.stringify([admins.toUpperCase()]) },
    });
    const dn = `cn=impostors,${slapd.groups}`;
    await slapd.add(dn, { objectClass: 'groupOfNames', cn: ['impostors', admins], member: PERSONS.bob });
    onTestFinished(() => slapd.remove(dn));
    expect(await userOf(await gateway.signIn('bob', 'bob password'))).toMatchObject({ is_admin: false });
    expect(await userOf(await gateway.signIn('alice', 'alice password'))).toMatchObject({ is_admin: true });
  });

  it('keep their role while there is no other administrator, with a log line', async () => {
    const warnings: string[] = [];
    const log = { ...silent, warn: (_fields: object, message: string) => void warnings.push(message) };
    const gateway = await running({ env: slapd.env(), log });
    const alice = await gateway.signIn('alice', 'alice password');
    const { id } = await userOf(gateway.admin);
    await alice.call('PATCH', `/api/auth/users/${id}`, { disabled: true });
    onTestFinished(() => slapd.setGroups('alice', ['admins', 'developers']));
    await slapd.setGroups('alice', []);
    const again = await gateway.signIn('alice', 'alice password');
    expect(await userOf(again)).toMatchObject({ is_admin: true, allowed_groups: [] });
    expect(warnings).toEqual([expect.stringContaining('last enabled administrator')]);
    await again.call('PATCH', `/api/auth/users/${id}`, { disabled: false });
    expect(await userOf(await gateway.signIn('alice', 'alice password'))).toMatchObject({ is_admin: false });
  });
});

describe('A directory over TLS', () => {
  it('is trusted when its CA is configured', async () => {
    const env = { ...slapd.env(), SERVICE_LDAP_URL: slapd.tls_url, SERVICE_LDAP_CA_FILE: slapd.ca_file };
    const gateway = await running({ env });
    expect(await userOf(await gateway.signIn('bob', 'bob password'))).toMatchObject({ source: 'ldap' });
  });

  it('is not trusted when its CA is unknown', async () => {
    const { gateway, errors } = await listening({ ...slapd.env(), SERVICE_LDAP_URL: slapd.tls_url });
    expect(await login(gateway, 'bob')).toEqual(UNAVAILABLE);
    expect(errors).toEqual([expect.stringContaining('directory')]);
  });
});

describe('A directory that does not answer', () => {
  it('causes a 503 and a log line for every name without a local account', async () => {
    const url = `ldap://127.0.0.1:${await freePort()}`;
    const { gateway, errors } = await listening({ ...slapd.env(), SERVICE_LDAP_URL: url });
    for (const name of ['bob', 'nobody']) expect(await login(gateway, name)).toEqual(UNAVAILABLE);
    expect(errors).toHaveLength(2);
    await gateway.user({ username: 'local' });
    expect((await login(gateway, 'local', USER_PASSWORD)).status).toBe(200);
    expect(await login(gateway, 'local', 'wrong')).toEqual(INVALID);
  });

  it('locks nobody, and is recorded as what it is', async () => {
    onTestFinished(() => slapd.resume());
    const { gateway } = await listening(slapd.env());
    await gateway.signIn('bob', 'bob password');
    await slapd.pause();
    const attempts = await Promise.all(Array.from({ length: 8 }, () => login(gateway, 'bob')));
    expect(new Set(attempts.map(({ body }) => body.code))).toEqual(new Set(['directory_unavailable']));
    slapd.resume();
    for (let count = 0; count < 9; count += 1) expect(await login(gateway, 'bob', 'wrong')).toEqual(INVALID);
    expect((await login(gateway, 'bob')).status).toBe(200);
    const { body } = await gateway.admin.call<AuditEntry[]>(
      'GET',
      '/api/auth/audit?action=directory_unavailable',
    );
    expect(body).toHaveLength(8);
    expect(body[0]).toMatchObject({ username: 'bob', detail: 'the sign-in was refused' });
  });

  it('does not allow uncounted guesses at the passwords of local accounts', async () => {
    const url = `ldap://127.0.0.1:${await freePort()}`;
    const { gateway } = await listening({ ...slapd.env(), SERVICE_LDAP_URL: url });
    await gateway.user({ username: 'local' });
    for (let count = 0; count < 10; count += 1) {
      expect(await login(gateway, 'local', 'wrong')).toEqual(INVALID);
    }
    expect((await login(gateway, 'local', USER_PASSWORD)).body.code).toBe('account_locked');
  });

  it('causes a 503 and a log line when it hangs', async () => {
    const { gateway, errors } = await listening(slapd.env());
    onTestFinished(() => slapd.resume());
    await slapd.pause();
    expect(await login(gateway, 'bob')).toEqual(UNAVAILABLE);
    expect(errors).toEqual([expect.stringContaining('directory')]);
    slapd.resume();
    expect((await login(gateway, 'bob')).status).toBe(200);
  });
});

describe('A directory that limits its answers', () => {
  it('never takes groups away by a list that is cut off', async () => {
    const [generous, stingy] = await Promise.all([startSlapd(), startSlapd({ config: [STINGY] })]);
    onTestFinished(() => stingy.stop());
    onTestFinished(() => generous.stop());
    const SERVICE_LDAP_URL = `${generous.url} ${stingy.url}`;
    const gateway = await running({ env: { ...generous.env(), SERVICE_LDAP_URL } });
    const john = await gateway.signIn('john', 'john password');
    const { allowed_groups } = await userOf(john);
    await generous.halt();
    expect(await login(gateway, 'john')).toEqual(UNAVAILABLE);
    expect((await userOf(john)).allowed_groups).toEqual(allowed_groups);
  });
});

describe('A password that the directory wants to be changed', () => {
  it('is refused by name, and counts as no failure', async () => {
    const server = await startSlapd({
      config: ['overlay ppolicy'],
      schema: ['modulepath /usr/lib/ldap', 'moduleload ppolicy'],
    });
    onTestFinished(() => server.stop());
    await server.replace(PERSONS.bob, 'pwdReset', ['TRUE']);
    const gateway = await running({ env: server.env() });
    const { status, body } = await login(gateway, 'bob');
    expect([status, body.code]).toEqual([403, 'directory_password_expired']);
    expect(await login(gateway, 'bob', 'wrong')).toEqual(INVALID);
    expect(await login(gateway, 'bob')).toMatchObject({ body: { code: 'directory_password_expired' } });
    expect(await reason(gateway, 'bob')).toBe('the directory wants a new password first');
  });
});

describe('An invalid LDAP setting', () => {
  it.each([
    ['SERVICE_LDAP_BIND_PASSWORD', 'not it', /SERVICE_LDAP_BIND_DN.*InvalidCredentials/],
    ['SERVICE_LDAP_USER_BASE', 'ou=nowhere,dc=example,dc=org', /SERVICE_LDAP_USER_BASE.*NoSuchObject/],
    ['SERVICE_LDAP_GROUP_BASE', 'ou=nowhere,dc=example,dc=org', /SERVICE_LDAP_GROUP_BASE.*NoSuchObject/],
    ['SERVICE_LDAP_URL', 'ldap://127.0.0.1:1', /SERVICE_LDAP_URL.*ECONNREFUSED/],
  ])('is reported at boot in one line: %s', async (name, value, told) => {
    const reasons: string[] = [];
    const warn = (fields: object) => void reasons.push(String(Object(fields).reason));
    await running({ env: { ...slapd.env(), [name]: value }, log: { ...silent, warn } });
    await expect.poll(() => reasons.join()).toMatch(told);
  });
});

describe('Without a directory', () => {
  it('an LDAP account can no longer sign in', async () => {
    const database = await migratedDatabaseUrl('sqlite');
    onTestFinished(database.cleanup);
    const before = await startGateway({ database_url: database.url, env: slapd.env() });
    await before.signIn('bob', 'bob password');
    await before.close();
    const after = await running({ database_url: database.url, untouched: true });
    expect(await login(after, 'bob')).toEqual(INVALID);
    expect(await login(after, 'bob', '')).toEqual(INVALID);
  });
});

/** A gateway for one test. */
async function running(options: Parameters<typeof startGateway>[0]): Promise<TestGateway> {
  const gateway = await startGateway(options);
  onTestFinished(gateway.close);
  return gateway;
}

async function listening(env: Record<string, string>) {
  const errors: string[] = [];
  const log = { ...silent, error: (_fields: object, message: string) => void errors.push(message) };
  return { gateway: await running({ env, log }), errors };
}
