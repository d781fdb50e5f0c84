import { expect, it } from 'vitest';
import { createBackups } from '#core/backup/backups.ts';
import { Fault } from '#core/errors.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import type { Repositories } from '#core/ports/repositories.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { firstUser, serverRow, snippetRow } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';
import { backupRows, forged, PASSPHRASE } from '../../support/features/backups.ts';
import { codeOf, depsOn, restoreWith as restore, workOn } from './work.ts';

const ADMIN: Caller = {
  user_id: 1,
  username: 'admin',
  is_admin: true,
  allowed_groups: [],
  must_change_password: false,
  credential: { kind: 'session', id: 'of a test' },
  scopes: ['admin'],
  is_fresh: true,
  in_demo: false,
  ip_address: '',
  via: 'page',
};

/** Another writer is faster than the first plans. */
function overtaking(
  repositories: Repositories,
  times: number,
  change: (round: number) => Promise<unknown>,
): Repositories {
  const { backups } = repositories;
  let rounds = 0;
  const restoreAfter: typeof backups.restore = async (plan, read) => {
    rounds += 1;
    if (rounds <= times) await change(rounds);
    await backups.restore(plan, read);
  };
  return { ...repositories, backups: { ...backups, restore: restoreAfter } };
}

describeEachStore('A restore', (fresh) => {
  it('plans again when another writer was faster, three times at most', async () => {
    const repositories = createRepositories(await fresh.migrated());
    await firstUser(repositories);
    const bundle = await forged([backupRows.admin(), backupRows.server({ name: 'restored' })]);
    const after = (times: number) =>
      overtaking(repositories, times, (round) =>
        repositories.servers.insert(serverRow({ name: `${times}-${round}` })),
      );
    expect(await restore(await workOn(after(3)), bundle).catch(codeOf)).toBe('backup_overtaken');
    expect((await restore(await workOn(after(2)), bundle)).created).toMatchObject({ servers: 1 });
    expect((await repositories.servers.list()).map(({ name }) => name)).toContain('restored');
  });

  it('is not delayed by people who write their own rows', async () => {
    const repositories = createRepositories(await fresh.migrated());
    await firstUser(repositories);
    await repositories.snippets.insert(snippetRow(1, { name: 'first' }), 100);
    const change = (round: number) =>
      repositories.snippets.insert(snippetRow(1, { name: `more ${round}` }), 100);
    const bundle = await forged([backupRows.admin(), backupRows.snippet({ owner: 'admin' })]);
    const report = await restore(await workOn(overtaking(repositories, 1, change)), bundle, 'replace');
    expect([report.created.snippets, report.removed.snippets]).toEqual([1, 1]);
  });

  it('records a completed restore whatever fails afterwards, and reports what it did', async () => {
    const repositories = createRepositories(await fresh.migrated());
    await firstUser(repositories);
    const said: string[] = [];
    const say = async (detail: string) => void said.push(detail);
    const backups = createBackups({
      ...(await depsOn(repositories)),
      trail: {
        record: (_actor, _action, detail) => say(detail),
        recordAll: (_actor, _action, { label, items }) => say(label + items.join()),
        fire: async () => undefined,
      },
      afterRestore: () => Promise.reject(new Fault('database_unavailable')),
      background: { run: (_what, work) => void work.catch(() => undefined) },
    });
    const bundle = await forged([backupRows.admin(), backupRows.server({ name: 'restored' })]);
    const input = { bundle, passphrase: PASSPHRASE, mode: 'merge', dry_run: false } as const;
    const { warnings } = await backups.restore(ADMIN, input);
    expect(warnings).toEqual([expect.stringMatching(/^Restored, but/)]);
    expect(said).toEqual([expect.stringMatching(/^merge: created 1 servers/), 'servers created: restored']);
  });
});
