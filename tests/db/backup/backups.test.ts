import { expect, it } from 'vitest';
import type { RestorePlan } from '#core/ports/repositories/backup.ts';
import type { Repositories } from '#core/ports/repositories.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import {
  AT,
  apiKeyRow,
  firstUser,
  serverRow,
  snippetRow,
  twoInstances,
  userRow,
} from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';
import { longestHold } from '../../support/event-loop.ts';
import { backupRows, forged, PASSPHRASE } from '../../support/features/backups.ts';
import { codeOf, restoreWith as restore, workOn } from './work.ts';

const NOTHING = { added: [], changed: [], removed: [] };
const EMPTY: RestorePlan = {
  at: AT,
  users: NOTHING,
  signed_out: [],
  servers: NOTHING,
  api_keys: NOTHING,
  quick_keys: NOTHING,
  revoked_keys: NOTHING,
  snippets: NOTHING,
  webhooks: NOTHING,
  settings: { saved: [], removed: [] },
  branding: undefined,
  audit: undefined,
};

describeEachStore('The repository of backups', (fresh) => {
  it('carries out a plan in full', async () => {
    const repositories = createRepositories(await fresh.migrated());
    const [kept, gone] = [
      await repositories.servers.insert(serverRow()),
      await repositories.servers.insert(serverRow()),
    ];
    const read = await repositories.backups.read();
    const added = [
      { id: 51, ...serverRow({ name: 'outer' }), jump_via_added: undefined },
      { id: 50, ...serverRow({ name: 'inner' }), jump_via_added: 0 },
    ];
    const changed = [{ ...kept, name: 'moved', jump_via_added: 1 }];
    await repositories.backups.restore({ ...EMPTY, servers: { added, changed, removed: [gone.id] } }, read);
    const rows = await repositories.servers.list();
    const id = (name: string) => rows.find((row) => row.name === name)?.id;
    expect(rows.map(({ name, jump_via_id }) => [name, jump_via_id])).toEqual([
      ['inner', id('outer')],
      ['moved', id('inner')],
      ['outer', null],
    ]);
  });

  it('lets unique values move from one account to another', async () => {
    const repositories = createRepositories(await fresh.migrated());
    await firstUser(repositories);
    await repositories.users.insert(userRow({ username: 'ann' }));
    const read = await repositories.backups.read();
    const swapped = read.users.map((row) => ({
      ...row,
      is_default_admin: !row.is_default_admin,
      directory_id: row.is_default_admin ? 'b' : 'a',
    }));
    await repositories.backups.restore({ ...EMPTY, users: { ...NOTHING, changed: swapped } }, read);
    const again = await repositories.backups.read();
    const back = again.users.map((row) => ({ ...row, directory_id: row.directory_id === 'a' ? 'b' : 'a' }));
    await repositories.backups.restore({ ...EMPTY, users: { ...NOTHING, changed: back } }, again);
    expect(
      (await repositories.backups.read()).users.map(({ username, is_default_admin, directory_id }) => [
        username,
        is_default_admin,
        directory_id,
      ]),
    ).toEqual([
      ['admin', false, 'a'],
      ['ann', true, 'b'],
    ]);
  });

  const CHANGES: readonly [string, (repositories: Repositories) => Promise<unknown>][] = [
    ['a server was added', ({ servers }) => servers.insert(serverRow())],
    ['a server was renamed', ({ servers }) => servers.update(1, { name: 'other' }, { most_hops: 8 })],
    [
      'a host key was pinned',
      ({ servers }) =>
        servers.pinHostKey({
          server_id: 1,
          hostname: 'alpha.test',
          port: 22,
          host_key: 'AAAA',
          fingerprint: 'SHA256:x',
        }),
    ],
    ['a user was added', ({ users }) => users.insert(userRow({ username: 'ann' }))],
  ];

  const UNTOUCHED: typeof CHANGES = [
    ['a password was changed', ({ users }) => users.setPassword(1, 'new', { must_change_password: false })],
    ['an API key was added', ({ api_keys }) => api_keys.insert(apiKeyRow(1), 100)],
    ['a snippet was added', ({ snippets }) => snippets.insert(snippetRow(1), 100)],
    ['a setting was made', ({ settings }) => settings.save([{ key: 'session_timeout', value: 1 }], AT)],
    ['the looks were changed', ({ branding }) => branding.save({ tagline: 'new' }, {}, AT)],
  ];

  it.each(UNTOUCHED)('carries out a plan for servers although %s in the meantime', async (_what, change) => {
    const repositories = createRepositories(await fresh.migrated());
    await firstUser(repositories);
    const read = await repositories.backups.read();
    await change(repositories);
    const added = [{ id: 50, ...serverRow({ name: 'restored' }), jump_via_added: undefined }];
    await repositories.backups.restore({ ...EMPTY, servers: { ...NOTHING, added } }, read);
    expect((await repositories.servers.list()).map(({ name }) => name)).toContain('restored');
  });

  it.each(CHANGES)('refuses a plan when %s in the meantime', async (_what, change) => {
    const repositories = createRepositories(await fresh.migrated());
    await firstUser(repositories);
    await repositories.servers.insert(serverRow());
    const read = await repositories.backups.read();
    await change(repositories);
    const added = [{ id: 50, ...serverRow({ name: 'restored' }), jump_via_added: undefined }];
    const restoring = repositories.backups.restore({ ...EMPTY, servers: { ...NOTHING, added } }, read);
    expect(await restoring.catch(codeOf)).toBe('backup_overtaken');
    expect((await repositories.servers.list()).map(({ name }) => name)).not.toContain('restored');
  });

  it('reads everything at one point in time', async () => {
    const store = await fresh.migrated();
    const repositories = createRepositories(store);
    const seen = await store.inTurns('reading', async ({ db }) => {
      const before = await db.select().from(store.tables.users);
      await firstUser(repositories);
      return [before, await db.select().from(store.tables.users)];
    });
    expect(seen).toEqual([[], []]);
    expect((await repositories.backups.read()).users).toHaveLength(1);
  });

  it('restores nothing for somebody who is no longer an administrator', async () => {
    const repositories = createRepositories(await fresh.migrated());
    await firstUser(repositories);
    const { id } = await repositories.users.insert(
      userRow({ username: 'ann', is_admin: true, disabled: true }),
    );
    const input = {
      bundle: await forged([backupRows.admin()]),
      passphrase: PASSPHRASE,
      mode: 'replace',
      dry_run: false,
    } as const;
    const restoring = (await workOn(repositories)).restore(input, id);
    expect(await restoring.catch(codeOf)).toBe('admin_only');
  });

  it('ignores rows that are written constantly', async () => {
    const repositories = createRepositories(await fresh.migrated());
    await repositories.servers.insert(serverRow());
    const read = await repositories.backups.read();
    await repositories.servers.touchConnected(1, AT);
    const changed = read.servers.map((row) => ({ ...row, name: 'new', jump_via_added: undefined }));
    await repositories.backups.restore({ ...EMPTY, servers: { ...NOTHING, changed } }, read);
    expect(await repositories.servers.byId(1)).toMatchObject({ name: 'new', last_connected_at: AT });
  });

  it('lets one of two concurrent restores win, from two instances', async () => {
    const [one, other] = await twoInstances(fresh);
    await firstUser(one);
    const bundles = await Promise.all(
      ['left', 'right'].map((name) => {
        const servers = Array.from({ length: 300 }, (_, i) => backupRows.server({ name: `${name}-${i}` }));
        return forged([backupRows.admin(), ...servers]);
      }),
    );
    const works = [await workOn(one), await workOn(other)] as const;
    const ends = await Promise.allSettled(
      bundles.map((bundle, i) => restore(works[i === 0 ? 0 : 1], bundle, 'replace')),
    );
    const names = (await one.servers.list()).map(({ name }) => name.split('-')[0]);
    expect(names).toHaveLength(300);
    expect(new Set(names).size).toBe(1);
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [codeOf(end.reason)] : []));
    expect(refused.every((code) => code === 'backup_overtaken')).toBe(true);
  });

  it('changes nothing when its last part cannot be written', async () => {
    const repositories = createRepositories(await fresh.migrated());
    const read = await repositories.backups.read();
    const added = [{ id: 50, ...serverRow(), jump_via_added: undefined }];
    const owner = { owner_key: 'nobody' };
    const { user_id: _owner, ...key } = apiKeyRow(1);
    const plan = {
      ...EMPTY,
      servers: { ...NOTHING, added },
      api_keys: { ...NOTHING, added: [{ ...key, ...owner }] },
    };
    await expect(repositories.backups.restore(plan, read)).rejects.toThrow();
    expect(await repositories.servers.list()).toEqual([]);
  });

  it('restores 5,000 servers and 1,000 users without keeping others waiting', async () => {
    const repositories = createRepositories(await fresh.migrated());
    await firstUser(repositories);
    const private_key = 'k'.repeat(2000);
    const servers = Array.from({ length: 5000 }, (_, i) =>
      backupRows.server({ name: `s${i}`, private_key, tags: ['a', 'b'], jump: i % 3 === 0 ? null : i - 1 }),
    );
    const users = Array.from({ length: 1000 }, (_, i) =>
      backupRows.user({ username: `u${i}`, totp_enabled: true, totp_secret: 'ABCDEFGHIJKLMNOP' }),
    );
    const bundle = await forged([backupRows.admin(), ...users, ...servers]);
    const work = await workOn(repositories);
    const { held_ms, result } = await longestHold(() => restore(work, bundle, 'replace'));
    expect(result.created).toMatchObject({ servers: 5000, users: 1000 });
    expect(held_ms).toBeLessThan(1000); // usually some 50; the whole restore takes seconds
    const again = await longestHold(() => work.pack({ passphrase: PASSPHRASE, include_audit: false }));
    expect(again.held_ms).toBeLessThan(1000);
    expect((await restore(work, again.result, 'replace')).skipped).toMatchObject({
      servers: 5000,
      users: 1001,
    });
  }, 300_000); // hundreds of transactions, on a busy machine
});
