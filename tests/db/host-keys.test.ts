import { expect, it } from 'vitest';
import type { HostKeyPin } from '#core/ports/repositories.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { describeEachStore } from '../support/stores.ts';
import { serverRow } from './rows.ts';

const pin: HostKeyPin = {
  server_id: 1,
  hostname: 'alpha.test',
  port: 22,
  host_key: 'AAAA',
  fingerprint: 'SHA256:aaaa',
};

describeEachStore('host keys', (fresh) => {
  async function prepare() {
    const { servers } = createRepositories(await fresh.migrated());
    await servers.insert(serverRow());
    const pinned = async () => {
      const row = await servers.byId(1);
      return [row?.host_key, row?.host_key_fingerprint];
    };
    return { servers, pinned };
  }

  it('pins the first key and answers with it', async () => {
    const { servers, pinned } = await prepare();
    expect(await servers.pinHostKey(pin)).toBe('AAAA');
    expect(await pinned()).toEqual(['AAAA', 'SHA256:aaaa']);
  });

  it('keeps the pin and answers with it when another key is presented', async () => {
    const { servers, pinned } = await prepare();
    await servers.pinHostKey(pin);
    expect(await servers.pinHostKey({ ...pin, host_key: 'BBBB', fingerprint: 'SHA256:bbbb' })).toBe('AAAA');
    expect(await pinned()).toEqual(['AAAA', 'SHA256:aaaa']);
  });

  it('pins one key when several are presented at once, and tells all of them which', async () => {
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
    expect(await pinned()).toEqual([null, '']);
  });

  it('pins anew after the pin was cleared', async () => {
    const { servers, pinned } = await prepare();
    await servers.pinHostKey(pin);
    await servers.clearHostKey(1);
    expect(await pinned()).toEqual([null, '']);
    expect(await servers.pinHostKey({ ...pin, host_key: 'BBBB' })).toBe('BBBB');
  });
});
