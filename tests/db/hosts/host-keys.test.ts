import { expect, it } from 'vitest';
import type { HostKeyPin } from '#core/ports/repositories/hosts.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { checkedOf } from '../../support/databases/checked.ts';
import { LATER, LIMITS, serverRow, twoInstances } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const pin: HostKeyPin = {
  server_id: 1,
  hostname: 'alpha.test',
  port: 22,
  host_key: 'AAAA',
  fingerprint: 'SHA256:aaaa',
};

const announced_host_keys = [{ host_key: 'CCCC', fingerprint: 'SHA256:cccc' }];
const rotation = {
  hostname: pin.hostname,
  port: pin.port,
  server_id: 1,
  instead_of: 'AAAA',
  host_key: 'BBBB',
  fingerprint: 'SHA256:bbbb',
  announced_host_keys,
};

describeEachStore('host keys', (fresh) => {
  async function prepare() {
    const { servers } = createRepositories(await fresh.migrated());
    await servers.insert(serverRow());
    const pinned = async () => {
      const row = await servers.byId(1);
      return [row?.host_key, row?.host_key_fingerprint, row?.announced_host_keys];
    };
    return { servers, pinned };
  }

  it('pins the first key and returns it', async () => {
    const { servers, pinned } = await prepare();
    expect(await servers.pinHostKey(pin)).toBe('AAAA');
    expect(await pinned()).toEqual(['AAAA', 'SHA256:aaaa', []]);
  });

  it('keeps the pin and returns it when another key is presented', async () => {
    const { servers, pinned } = await prepare();
    await servers.pinHostKey(pin);
    expect(await servers.pinHostKey({ ...pin, host_key: 'BBBB', fingerprint: 'SHA256:bbbb' })).toBe('AAAA');
    expect(await pinned()).toEqual(['AAAA', 'SHA256:aaaa', []]);
  });

  it('pins one of several keys presented at once, and returns it to all', async () => {
    const url = await fresh.url();
    const stores = [await fresh.migrated(url), await fresh.migrated(url), await fresh.migrated(url)];
    const instances = stores.map((store) => createRepositories(store).servers);
    for (let round = 1; round <= 10; round += 1) {
      await instances[0]?.insert(serverRow());
      const answers = await Promise.all(
        instances.map((servers, i) =>
          servers.pinHostKey({ ...pin, server_id: round, host_key: `K${i}`, fingerprint: `SHA256:${i}` }),
        ),
      );
      const row = await instances[0]?.byId(round);
      expect(answers).toEqual([row?.host_key, row?.host_key, row?.host_key]);
      expect(row?.host_key_fingerprint).toBe(row?.host_key?.replace('K', 'SHA256:'));
    }
  });

  it('pins nothing once the server has another address than the one dialled', async () => {
    const { servers, pinned } = await prepare();
    expect(await servers.pinHostKey({ ...pin, port: 2222 })).toBeNull();
    expect(await servers.pinHostKey({ ...pin, hostname: 'beta.test' })).toBeNull();
    expect(await servers.pinHostKey({ ...pin, server_id: 99 })).toBeNull();
    expect(await pinned()).toEqual([null, '', []]);
  });

  it('pins again after the pin was cleared', async () => {
    const { servers, pinned } = await prepare();
    await servers.pinHostKey(pin);
    await servers.replaceHostKeys(rotation);
    expect(await servers.clearHostKey(1, LATER, checkedOf(await servers.byId(1)))).toBe(true);
    expect(await pinned()).toEqual([null, '', []]);
    expect((await servers.byId(1))?.updated_at).toBe(LATER);
    expect(await servers.pinHostKey({ ...pin, host_key: 'BBBB' })).toBe('BBBB');
  });

  it('stores the keys that a host announces, with a new pin or the same', async () => {
    const { servers, pinned } = await prepare();
    await servers.pinHostKey(pin);
    expect(await servers.replaceHostKeys(rotation)).toBe(true);
    expect(await pinned()).toEqual(['BBBB', 'SHA256:bbbb', announced_host_keys]);
    const fewer = { ...rotation, instead_of: 'BBBB', announced_host_keys: [] };
    expect(await servers.replaceHostKeys(fewer)).toBe(true);
    expect(await pinned()).toEqual(['BBBB', 'SHA256:bbbb', []]);
  });

  it('stores nothing when another key is pinned, or none', async () => {
    const { servers, pinned } = await prepare();
    expect(await servers.replaceHostKeys(rotation)).toBe(false);
    expect(await pinned()).toEqual([null, '', []]);
    await servers.pinHostKey(pin);
    for (const instead_of of ['CCCC', null]) {
      expect(await servers.replaceHostKeys({ ...rotation, instead_of })).toBe(false);
    }
    expect(await servers.replaceHostKeys({ ...rotation, server_id: 99 })).toBe(false);
    expect(await servers.replaceHostKeys({ ...rotation, port: 2222 })).toBe(false);
    expect(await servers.replaceHostKeys({ ...rotation, hostname: 'beta.test' })).toBe(false);
    expect(await pinned()).toEqual(['AAAA', 'SHA256:aaaa', []]);
  });

  it('stores keys where none is pinned, if none was read', async () => {
    const { servers, pinned } = await prepare();
    expect(await servers.replaceHostKeys({ ...rotation, instead_of: null })).toBe(true);
    expect(await pinned()).toEqual(['BBBB', 'SHA256:bbbb', announced_host_keys]);
  });

  it('keeps the announced keys while the pin stays, and removes others with a new pin', async () => {
    const { servers, pinned } = await prepare();
    await servers.pinHostKey(pin);
    await servers.replaceHostKeys(rotation);
    await servers.pinHostKey(pin);
    expect(await pinned()).toEqual(['BBBB', 'SHA256:bbbb', announced_host_keys]);
    await servers.update(1, { host_key: null }, LIMITS);
    await servers.pinHostKey(pin);
    expect(await pinned()).toEqual(['AAAA', 'SHA256:aaaa', []]);
  });

  it('stores one of two concurrent rotations', async () => {
    const [one, two] = await twoInstances(fresh);
    for (let round = 1; round <= 10; round += 1) {
      await one.servers.insert(serverRow({ host_key: 'AAAA' }));
      const keys = ['BBBB', 'CCCC'];
      const replaced = await Promise.all(
        [one, two].map(({ servers }, i) =>
          servers.replaceHostKeys({ ...rotation, server_id: round, host_key: keys[i] ?? '' }),
        ),
      );
      expect(replaced.filter(Boolean)).toHaveLength(1);
      expect((await one.servers.byId(round))?.host_key).toBe(keys[replaced.indexOf(true)]);
    }
  });

  it('forgets how the host was connected to with its key, but not when the host rotates its keys', async () => {
    const { servers } = await prepare();
    const last = { key_exchange: 'curve25519-sha256', server_version: 'OpenSSH_9.2p1' };
    const nothing = { key_exchange: null, server_version: null };
    const note = async () => {
      const row = await servers.byId(1);
      if (row) await servers.noteConnection(row, last);
    };
    await servers.pinHostKey(pin);
    await note();
    await servers.replaceHostKeys(rotation);
    expect(await servers.byId(1)).toMatchObject(last);
    await servers.replaceHostKeys({ ...rotation, instead_of: 'BBBB', host_key: 'DDDD', at: LATER });
    expect(await servers.byId(1)).toMatchObject({ host_key: 'DDDD', ...nothing });
    await note();
    await servers.clearHostKey(1, LATER, checkedOf(await servers.byId(1)));
    expect(await servers.byId(1)).toMatchObject({ host_key: null, ...nothing });
  });
});
