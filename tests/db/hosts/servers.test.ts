import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { LATER, LIMITS, serverRow } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

describeEachStore('servers', (fresh) => {
  const prepare = async () => createRepositories(await fresh.migrated()).servers;

  it('stores a server as given, with its own id', async () => {
    const servers = await prepare();
    const row = serverRow({
      auth_method: 'prompt',
      tags: ['a"b', 'ü'],
      algorithms: 'legacy',
      terminal_type: 'vt100',
      terminal_encoding: 'gbk',
      record_sessions: false,
      agent_enabled: true,
      host_key: 'AAAA',
      announced_host_keys: [{ host_key: 'BBBB', fingerprint: 'SHA256:b/+' }],
      last_connected_at: LATER,
    });
    const inserted = await servers.insert(row);
    expect(inserted).toEqual({ id: 1, ...row });
    expect(await servers.byId(1)).toEqual(inserted);
    expect(await servers.byId(2)).toBeUndefined();
  });

  it('lists by name ignoring case', async () => {
    const servers = await prepare();
    for (const name of ['beta', 'Öl', 'Alpha', 'alpha', 'Gamma', 'öd'])
      await servers.insert(serverRow({ name }));
    const names = (await servers.list()).map((server) => server.name);
    expect(names).toEqual(['Alpha', 'alpha', 'beta', 'Gamma', 'öd', 'Öl']);
  });

  it('returns several by their ids', async () => {
    const servers = await prepare();
    const [a, , c] = [
      await servers.insert(serverRow()),
      await servers.insert(serverRow()),
      await servers.insert(serverRow()),
    ];
    expect((await servers.byIds([a.id, c.id, 99])).sort((x, y) => x.id - y.id)).toEqual([a, c]);
    expect(await servers.byIds([])).toEqual([]);
  });

  it('changes only what the patch names', async () => {
    const servers = await prepare();
    const before = await servers.insert(serverRow());
    const patch = { port: 2222, tags: [], password_sealed: null, updated_at: LATER, name: undefined };
    const after = await servers.update(before.id, patch, LIMITS);
    expect(after).toEqual({ ...before, port: 2222, tags: [], password_sealed: null, updated_at: LATER });
    expect(await servers.update(before.id, {}, LIMITS)).toEqual(after);
    expect(await servers.update(99, { port: 1 }, LIMITS)).toBeUndefined();
    expect(await servers.update(99, {}, LIMITS)).toBeUndefined();
  });

  it('accepts each of the three settings for recording', async () => {
    const servers = await prepare();
    const { id } = await servers.insert(serverRow());
    for (const record_sessions of [true, false, null]) {
      const row = await servers.update(id, { record_sessions }, LIMITS);
      expect(row?.record_sessions).toBe(record_sessions);
    }
  });

  it('removes the keys of a server whose address changes', async () => {
    const servers = await prepare();
    const announced_host_keys = [{ host_key: 'BBBB', fingerprint: 'SHA256:b' }];
    const before = await servers.insert(serverRow({ host_key: 'AAAA', announced_host_keys }));
    const moved = { hostname: 'beta.test', host_key: null, announced_host_keys: [] };
    expect(await servers.update(before.id, moved, LIMITS)).toEqual({ ...before, ...moved });
  });

  it('removes a server once and never reuses its id', async () => {
    const servers = await prepare();
    const { id } = await servers.insert(serverRow());
    expect(await servers.remove(id)).toBe(true);
    expect(await servers.remove(id)).toBe(false);
    expect((await servers.insert(serverRow())).id).toBe(id + 1);
  });

  it('lists the visible groups without the empty one', async () => {
    const servers = await prepare();
    for (const group of ['web', 'Db', '', 'web', 'app']) await servers.insert(serverRow({ group }));
    expect(await servers.groups('all')).toEqual(['app', 'Db', 'web']);
    expect(await servers.groups(['web', 'gone', ''])).toEqual(['web']);
    expect(await servers.groups([])).toEqual([]);
  });

  it('lists the servers that jump through one', async () => {
    const servers = await prepare();
    const { id } = await servers.insert(serverRow({ name: 'bastion' }));
    for (const name of ['b', 'a']) await servers.insert(serverRow({ name, jump_via_id: id }));
    expect((await servers.jumpingVia(id)).map((server) => server.name)).toEqual(['a', 'b']);
    expect(await servers.jumpingVia(99)).toEqual([]);
  });

  it('refuses to remove a jump host in use, and a jump host that does not exist', async () => {
    const servers = await prepare();
    const { id } = await servers.insert(serverRow({ name: 'bastion' }));
    const behind = await servers.insert(serverRow({ jump_via_id: id }));
    await expect(servers.remove(id)).rejects.toMatchObject({ code: 'jump_host_in_use' });
    await expect(servers.insert(serverRow({ jump_via_id: 99 }))).rejects.toMatchObject({
      code: 'jump_host_unknown',
    });
    await expect(servers.update(id, { jump_via_id: 99 }, LIMITS)).rejects.toMatchObject({
      code: 'jump_host_unknown',
    });
    await servers.update(behind.id, { jump_via_id: null }, LIMITS);
    expect(await servers.remove(id)).toBe(true);
  });

  it('stores U+FFFD for half a surrogate pair, in lists as in text', async () => {
    const servers = await prepare();
    const row = serverRow({
      name: 'a\ud800',
      tags: ['\udc00b', '🔑'],
      sftp_allowed_paths: ['/\ud800/\ud83d\udd11'],
    });
    const { id } = await servers.insert(row);
    expect(await servers.byId(id)).toMatchObject({
      name: 'a\uFFFD',
      tags: ['\uFFFDb', '🔑'],
      sftp_allowed_paths: ['/\uFFFD/🔑'],
    });
    expect((await servers.update(id, { tags: ['\udfff'] }, LIMITS))?.tags).toEqual(['\uFFFD']);
  });

  it('records how a server was connected to, unless it was changed since', async () => {
    const servers = await prepare();
    const before = await servers.insert(serverRow());
    const first = { key_exchange: 'curve25519-sha256', server_version: 'OpenSSH_9.2p1' };
    await servers.noteConnection(before, first);
    expect(await servers.byId(before.id)).toEqual({ ...before, ...first });
    const next = { key_exchange: 'mlkem768x25519-sha256', server_version: 'OpenSSH_10.0p2' };
    await servers.noteConnection(before, next);
    expect(await servers.byId(before.id)).toEqual({ ...before, ...next });
    await servers.noteConnection({ ...before, updated_at: LATER }, first);
    expect(await servers.byId(before.id)).toEqual({ ...before, ...next });
  });

  it('writes nothing when a server is connected to as before', async () => {
    const servers = await prepare();
    const before = await servers.insert(serverRow());
    const last = { key_exchange: 'curve25519-sha256', server_version: '' };
    await servers.noteConnection(before, last);
    const { versions } = await servers.versions();
    await servers.noteConnection(before, last);
    expect((await servers.versions()).versions).toEqual(versions);
  });

  it('records when a server was last connected', async () => {
    const servers = await prepare();
    const before = await servers.insert(serverRow());
    await servers.touchConnected(before.id, LATER);
    expect(await servers.byId(before.id)).toEqual({ ...before, last_connected_at: LATER });
  });
});
