import { expect, it } from 'vitest';
import { createDirectoryPasswords } from '#core/accounts/directory-passwords.ts';
import { createExternalAccounts } from '#core/accounts/external-accounts.ts';
import { createPasswordCheck } from '#core/accounts/password-check.ts';
import type { DirectoryUser } from '#core/ports/identity.ts';
import type { Clock, Log } from '#core/ports/runtime.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { AT, firstUser, twoInstances, userRow } from '../../support/databases/rows.ts';
import { describeEachStore, silent } from '../../support/databases/stores.ts';

const JANE: DirectoryUser = { id: 'entry', usernames: ['Jane', 'jd'], groups: [] };
const rules = { group_map: { web: ['lab'] }, admin_groups: ['chiefs'] };
const member = (...names: string[]) => [{ dn: 'cn=x', names }];

type Repositories = ReturnType<typeof createRepositories>;

/** With a directory that accepts every password and answers with `entry`. */
function createCheck(repositories: Repositories, entry: () => DirectoryUser | Promise<DirectoryUser>) {
  const warnings: object[] = [];
  const clock: Clock = { now: () => new Date(AT), elapsed_ms: () => 0, after: () => () => undefined };
  const log: Log = { ...silent, warn: (fields) => warnings.push(fields) };
  const external_accounts = createExternalAccounts({ repositories, clock, log });
  const directory = { authenticate: async () => entry() };
  const passwords = createPasswordCheck({
    repositories,
    hasher: { hash: async () => 'hash', verify: async (_hash, password) => password === 'local' },
    directory: createDirectoryPasswords({ directory, rules, external_accounts, log }),
  });
  return { check: (name = 'jane') => passwords.check(name, 'any'), passwords, warnings };
}

describeEachStore('a sign-in through a directory', (fresh) => {
  async function prepare(entry: Partial<DirectoryUser> = {}) {
    const repositories = createRepositories(await fresh.migrated());
    await firstUser(repositories);
    const says = { ...JANE, ...entry };
    return { ...repositories, says, ...createCheck(repositories, () => says) };
  }

  it('reports once that it created the account', async () => {
    const { check } = await prepare();
    const { user, changed } = { changed: undefined, ...(await check()) };
    expect(user).toMatchObject({ id: 2, username: 'Jane', source: 'ldap' });
    expect(changed).toEqual([{ action: 'user_create', detail: 'Jane (#2) by the directory' }]);
    expect(await check()).toEqual({ user, changed: [] });
  });

  it('reports what the directory changed, and the name from before', async () => {
    const { check, says } = await prepare();
    await check();
    Object.assign(says, { groups: member('web', 'chiefs'), usernames: ['Jane Doe'] });
    expect(await check()).toEqual({
      user: expect.objectContaining({ username: 'Jane Doe', is_admin: true, allowed_groups: ['lab'] }),
      changed: [
        { action: 'user_groups', detail: 'Jane (#2) by the directory' },
        { action: 'user_update', detail: 'Jane (#2) by the directory: is_admin: true, username' },
      ],
    });
    expect(await check()).toMatchObject({ changed: [] });
  });

  it('keeps what the directory does not provide', async () => {
    const { check, users, says } = await prepare({ groups: member('web', 'chiefs') });
    await check();
    Object.assign(says, { groups: undefined, usernames: ['x', 'JANE'] });
    await users.update(2, { allowed_groups: ['z', 'a'] });
    expect(await check()).toEqual({
      user: expect.objectContaining({ username: 'Jane', is_admin: true, allowed_groups: ['z', 'a'] }),
      changed: [],
    });
  });

  it('changes nothing about a disabled account, and refuses it', async () => {
    const { check, users, says } = await prepare();
    await check();
    const disabled = await users.update(2, { disabled: true });
    Object.assign(says, { groups: member('web', 'chiefs') });
    expect(await check()).toEqual({ refusal: 'the account is disabled' });
    expect(await users.byId(2)).toEqual(disabled);
  });

  it('keeps the last enabled administrator, and warns', async () => {
    const { check, users, says, warnings } = await prepare({ groups: member('chiefs') });
    await check();
    await users.update(1, { disabled: true });
    Object.assign(says, { groups: member('web') });
    expect(await check()).toEqual({
      user: expect.objectContaining({ is_admin: true, allowed_groups: ['lab'] }),
      changed: [{ action: 'user_groups', detail: 'Jane (#2) by the directory' }],
    });
    expect(warnings).toEqual([{ username: 'Jane' }]);
  });

  it.each<[string, Partial<DirectoryUser>]>([
    ['a local account', { id: 'another', usernames: ['Admin'] }],
    ['another entry', { id: 'another', usernames: ['JANE'] }],
    ['an account of no entry', { id: 'another', usernames: ['old'] }],
  ])('is refused when its name belongs to %s', async (_, entry) => {
    const { check, users, says } = await prepare();
    await check();
    await users.insert(userRow({ username: 'old', source: 'ldap', password_hash: null }));
    const before = await users.list();
    Object.assign(says, entry);
    expect(await check('somebody')).toEqual({
      refusal: 'the directory accepts it, but another account has this name',
    });
    expect(await users.list()).toEqual(before);
  });

  it('is refused under the name of a local account, and creates no account', async () => {
    const { check, users } = await prepare();
    expect(await check('ADMIN')).toMatchObject({ refusal: expect.stringContaining('a local account') });
    expect(await users.list()).toHaveLength(1);
  });

  it('keeps the name when the new one is taken', async () => {
    const { check, says } = await prepare();
    await check();
    Object.assign(says, { usernames: ['admin', 'zoe'] });
    expect(await check('zoe')).toMatchObject({ user: { username: 'Jane' }, changed: [] });
  });

  it('counts wrong passwords of local accounts while the directory is down, and no others', async () => {
    const { users, ...rest } = await prepare();
    const { passwords } = createCheck({ users, ...rest }, () => Promise.reject(new Error('down')));
    expect(await passwords.check('admin', 'wrong')).toEqual({ refusal: 'wrong password' });
    expect(await passwords.check('nobody', 'wrong')).toEqual({
      refusal: 'the sign-in was refused',
      code: 'directory_unavailable',
    });
  });

  it('creates one account for several concurrent first sign-ins', async () => {
    const [one, two] = await twoInstances(fresh);
    for (let round = 0; round < 10; round += 1) {
      const entry = { id: `entry ${round}`, usernames: [`user ${round}`], groups: member('web') };
      const checks = [one, two, one, two].map((it) => createCheck(it, () => entry).check());
      const checked = await Promise.all(checks);
      expect(new Set(checked.map(({ user }) => user?.id)).size).toBe(1);
      const changed = checked.flatMap((it) => (it.user ? it.changed : []));
      const detail = `user ${round} (#${checked[0]?.user?.id}) by the directory`;
      expect(changed).toEqual([{ action: 'user_create', detail }]);
    }
  });
});
