import { expect, it } from 'vitest';
import type { ServerRowPatch } from '#core/ports/repositories/hosts.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { checkedOf } from '../../support/databases/checked.ts';
import { LATER, LIMITS, serverRow } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const CHANGED = { code: 'server_changed' };
const OPEN = { password_sealed: null };

const CHANGES: [string, ServerRowPatch][] = [
  ['another host name', { hostname: 'other.test' }],
  ['another port', { port: 2222 }],
  ['another jump host', { jump_via_id: 1 }],
  ['another password', { password_sealed: 'other' }],
  ['a private key', { private_key_sealed: 'key' }],
  ['a passphrase', { passphrase_sealed: 'passphrase' }],
];

describeEachStore('a server that was checked', (fresh) => {
  async function prepare() {
    const { servers } = createRepositories(await fresh.migrated());
    const bastion = await servers.insert(serverRow({ name: 'bastion', ...OPEN }));
    const server = await servers.insert(serverRow());
    return { servers, bastion, server };
  }

  it.each(CHANGES)('is left alone once it has %s', async (_what, change) => {
    const { servers, server } = await prepare();
    const checked = checkedOf(server);
    await servers.update(server.id, change, LIMITS);
    const conditions = { ...LIMITS, checked };
    await expect(servers.update(server.id, { hostname: 'evil.test' }, conditions)).rejects.toMatchObject(
      CHANGED,
    );
    await expect(servers.update(server.id, { jump_via_id: 1 }, conditions)).rejects.toMatchObject(CHANGED);
    expect(await servers.clearHostKey(server.id, LATER, checked)).toBe(false);
    expect(await servers.byId(server.id)).toEqual({ ...server, ...change });
  });

  it('is changed where only other fields differ', async () => {
    const { servers, server } = await prepare();
    const conditions = { ...LIMITS, checked: checkedOf(server) };
    await servers.update(server.id, { name: 'renamed' }, LIMITS);
    expect((await servers.update(server.id, { port: 2222 }, conditions))?.port).toBe(2222);
    expect(await servers.update(99, { port: 1 }, conditions)).toBeUndefined();
  });

  it('is left alone once a stored credential passes through it', async () => {
    const { servers, bastion } = await prepare();
    const inner = await servers.insert(serverRow({ name: 'inner', jump_via_id: bastion.id, ...OPEN }));
    const conditions = { ...LIMITS, checked: checkedOf(bastion, 'unpinned') };
    await servers.insert(serverRow({ name: 'behind', jump_via_id: inner.id }));
    await expect(servers.update(bastion.id, { port: 2222 }, conditions)).rejects.toMatchObject(CHANGED);
  });

  it('is changed where pins protect what passes through it', async () => {
    const { servers, bastion } = await prepare();
    await servers.insert(serverRow({ name: 'behind', jump_via_id: bastion.id, host_key: 'AAAA' }));
    const whether = (nothing_behind: 'any' | 'unpinned') =>
      servers.update(bastion.id, { port: 2222 }, { ...LIMITS, checked: checkedOf(bastion, nothing_behind) });
    await expect(whether('any')).rejects.toMatchObject(CHANGED);
    expect((await whether('unpinned'))?.port).toBe(2222);
  });
});
