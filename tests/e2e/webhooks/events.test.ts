import { once } from 'node:events';
import { chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import type { EventKind } from '#core/model/webhooks/event.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { openShell, userOf } from '../../support/features/accounts.ts';
import { addWebhook, toldTo } from '../../support/features/deliveries.ts';
import { socketTo } from '../../support/features/shells.ts';
import { isOffline, isOnline, untilRounds, untilStatus } from '../../support/features/statuses.ts';
import { enrol, standStill } from '../../support/features/totp.ts';
import { tusCaller } from '../../support/features/tus.ts';
import {
  freshAddress,
  logIn,
  startGateway,
  type TestGateway,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';
import { openDoor } from '../../support/hosts/door.ts';
import { type Slapd, startSlapd } from '../../support/hosts/slapd.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let slapd: Slapd;
let sshd: Sshd;
beforeAll(async () => {
  [slapd, sshd] = await Promise.all([startSlapd(), startSshd()]);
});
afterAll(async () => {
  await slapd?.stop();
  await sshd?.stop();
});

const MONITOR = {
  SERVICE_DISABLE_MONITOR: 'false',
  SERVICE_MONITOR_INTERVAL: '1',
  SERVICE_MONITOR_TIMEOUT: '30', // a busy machine is no host that does not answer
};

describe.each(DIALECTS)('Webhook events (%s)', (dialect) => {
  let database: FreshDatabase;
  let gateway: TestGateway;
  let box: Server;
  let hook: number;
  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    gateway = await startGateway({ database_url: database.url, env: slapd.env() });
    box = await addBox('box');
    await mkdir(folder());
    await chown(folder(), sshd.uid, sshd.uid);
  });
  afterAll(async () => {
    await gateway?.close();
    await database?.cleanup();
  });
  beforeEach(async () => {
    hook = await addWebhook(gateway.store);
  });

  function addBox(name: string, fields: Partial<Server> = {}): Promise<Server> {
    const { port, username, password } = sshd;
    return gateway.addServer({ name, port, username, password, ...fields });
  }
  const heard = (event?: EventKind) => toldTo(gateway.store, hook, event);
  const at = (name: string) => join(sshd.folder, dialect, name);
  const folder = () => join(sshd.folder, dialect);
  const about = () => ({ user: 'admin', server_id: box.id, server: 'box' });
  const login = (username: string, password = USER_PASSWORD, code?: string) =>
    logIn(gateway.anonymous, username, password, code);

  async function upload(names: readonly string[], overwrite = 'true') {
    const body = new FormData();
    for (const name of names) body.append('files', new File(['content'], name));
    const query = new URLSearchParams({ path: folder(), overwrite });
    return gateway.admin.fetch(`/api/files/${box.id}/upload?${query}`, { method: 'POST', body });
  }
  const remove = (path: string) =>
    gateway.admin.call('DELETE', `/api/files/${box.id}/delete?${new URLSearchParams({ path })}`);

  describe('user_login', () => {
    it('is sent for a sign-in, with its address', async () => {
      const user = await userOf(await gateway.user({ username: 'ann' }));
      const ip = expect.stringMatching(/^10\./);
      expect(await heard()).toEqual([
        { event: 'user_login', data: { username: 'ann', user_id: user.id, ip } },
      ]);
    });

    it('is sent for a directory sign-in', async () => {
      const { id } = await userOf(await gateway.signIn('alice', 'alice password'));
      const data = { username: 'alice', user_id: id, ip: expect.any(String) };
      expect(await heard('user_login')).toEqual([{ event: 'user_login', data }]);
    });

    it('is sent for a sign-in with a second factor once it is complete, in one step or two', async () => {
      standStill();
      const bob = await gateway.user({ username: 'bob' });
      const factor = await enrol(bob);
      const before = (await heard()).length;
      const { body } = await login('bob');
      expect(await heard()).toHaveLength(before);
      const pending = gateway.actor(body.access_token);
      expect((await pending.call('POST', '/api/auth/totp/verify', { code: '000000' })).status).toBe(401);
      await pending.call('POST', '/api/auth/totp/verify', { code: factor.nextCode() });
      await login('bob', USER_PASSWORD, factor.nextCode());
      const data = expect.objectContaining({ username: 'bob' });
      expect((await heard()).slice(before)).toEqual(Array(2).fill({ event: 'user_login', data }));
    });
  });

  describe('user_login_failed', () => {
    it('is sent for a wrong name and for a wrong password, with the typed name', async () => {
      await gateway.user({ username: 'carol' });
      for (const name of ['nobody', 'Carol']) await login(name, 'wrong password');
      const told = (await heard('user_login_failed')).map(({ data }) => data);
      const ip = expect.any(String);
      expect(told).toEqual([
        { username: 'nobody', ip },
        { username: 'Carol', ip },
      ]);
    });

    it('has no unprintable characters, and 64 at most', async () => {
      await login(`a\u0000\u0007\u202e\u200b\ud800b\nb${'é😀'.repeat(45)}`, 'wrong');
      const [told] = await heard('user_login_failed');
      expect(told?.data).toMatchObject({ username: `abb${'é😀'.repeat(20)}é` });
    });

    it('is not sent for other refusals', async () => {
      await gateway.anonymous.call('POST', '/api/auth/login', { username: 'ann' });
      await gateway.actor('no token').call('GET', '/api/auth/me');
      for (let i = 0; i < 12; i += 1) await login('locked', 'wrong');
      expect((await heard()).length).toBe(10); // From now on no password is checked.
    });
  });

  describe('ssh_connect', () => {
    it('is sent for a terminal of a registered server, and not for guests or a resume', async () => {
      const shell = await openShell(gateway, box.id, gateway.admin.token);
      const { session_id } = await shell.frame('session');
      await socketTo(gateway, `watch/${session_id}`, gateway.admin).frame('joined');
      const again = socketTo(gateway, `resume/${session_id}?offset=0`, gateway.admin);
      await again.frame('session');
      const host = `127.0.0.1:${sshd.port}`;
      const told = [{ event: 'ssh_connect', data: { ...about(), host, via_jump: false } }];
      expect(await heard()).toEqual(told);
      again.close(1000);
    });

    it('is not sent for a quick connection', async () => {
      const { port, username, password } = sshd;
      const quick = socketTo(gateway, 'quick', gateway.admin);
      await once(quick.raw, 'open');
      quick.send({ type: 'open', cols: 80, rows: 24, host: '127.0.0.1', port, username, password });
      await quick.frame('session');
      expect(await heard()).toEqual([]);
      quick.close(1000);
    });

    it('is sent for a connection through a jump host', async () => {
      const behind = await addBox('behind', { jump_via_id: box.id });
      const shell = await openShell(gateway, behind.id, gateway.admin.token);
      const data = expect.objectContaining({ server_id: behind.id, via_jump: true });
      expect(await heard('ssh_connect')).toEqual([{ event: 'ssh_connect', data }]);
      shell.close(1000);
    });

    it('is not sent for a failed connection', async () => {
      const dead = await gateway.addServer({ name: 'dead', port: 1, username: 'u', password: 'p' });
      await expect(openShell(gateway, dead.id, gateway.admin.token)).rejects.toThrow();
      expect(await heard('ssh_connect')).toEqual([]);
    });
  });

  describe('sftp_upload', () => {
    it('is sent once per request, with all paths', async () => {
      expect((await upload(['a', 'b'])).status).toBe(200);
      const paths = [at('a'), at('b')];
      expect(await heard()).toEqual([{ event: 'sftp_upload', data: { ...about(), paths, count: 2 } }]);
    });

    it('names what was stored before a file was refused, and is not sent when all were', async () => {
      await upload(['taken']);
      const before = (await heard()).length;
      expect((await upload(['first', 'taken', 'last'], 'false')).status).toBe(409);
      expect((await upload(['taken'], 'false')).status).toBe(409);
      const told = (await heard()).slice(before);
      expect(told).toEqual([{ event: 'sftp_upload', data: { ...about(), paths: [at('first')], count: 1 } }]);
    });

    it('is sent for a resumable upload once it is complete', async () => {
      const tus = tusCaller(gateway.admin, box.id);
      const place = await tus.begin({ path: folder(), filename: 'resumed', length: 6, overwrite: 'true' });
      await tus.append(place, 0, Buffer.from('abc'));
      expect(await heard()).toEqual([]);
      await tus.append(place, 3, Buffer.from('def'));
      const paths = [at('resumed')];
      expect(await heard()).toEqual([{ event: 'sftp_upload', data: { ...about(), paths, count: 1 } }]);
    });

    it('is not sent for a saved text or a copy', async () => {
      await writeFile(at('text'), 'before');
      const put = { path: at('new text'), content: 'x' };
      const copy = { source_path: at('text'), target_server_id: box.id, target_path: at('copy') };
      expect((await gateway.admin.call('PUT', `/api/files/${box.id}/write`, put)).status).toBe(200);
      expect((await gateway.admin.call('POST', `/api/files/${box.id}/copy-to`, copy)).status).toBe(200);
      expect(await heard()).toEqual([]);
    });
  });

  describe('sftp_delete', () => {
    it('is sent once per deletion, for a folder too', async () => {
      await upload(['gone']);
      await gateway.admin.call('POST', `/api/files/${box.id}/mkdir`, { path: at('folder/x'), parents: true });
      const before = (await heard()).length;
      for (const name of ['gone', 'folder']) expect((await remove(at(name))).status).toBe(200);
      expect((await heard()).slice(before)).toEqual(
        ['gone', 'folder'].map((name) => ({ event: 'sftp_delete', data: { ...about(), path: at(name) } })),
      );
    });

    it('is not sent when nothing was deleted', async () => {
      await writeFile(at('kept'), ''); // Owned by root, in a folder that only root may change.
      expect((await remove(at('none'))).status).toBe(404);
      expect((await remove('/etc/hostname')).status).toBe(403);
      expect(await heard()).toEqual([]);
      await rm(at('kept'));
    });
  });

  describe('server_added and server_deleted', () => {
    const change = (method: string, path: string, body?: object) => gateway.admin.call(method, path, body);

    it('contain the id of the server', async () => {
      const { id, name, hostname } = await addBox('short-lived');
      const data = { id, name, hostname, by: 'admin' };
      expect(await heard()).toEqual([{ event: 'server_added', data }]);
      expect((await change('DELETE', `/api/servers/${id}`)).status).toBe(204);
      expect((await change('DELETE', `/api/servers/${id}`)).status).toBe(404);
      expect(await heard('server_deleted')).toEqual([{ event: 'server_deleted', data }]);
    });

    it('are sent for each server of an import, and not for refused ones', async () => {
      const servers = ['one', 'two'].map((name) => ({ name, hostname: 'h.test', username: 'u' }));
      expect((await change('POST', '/api/servers/import', { servers })).status).toBe(201);
      const text = 'Host three\n  HostName h.test\n  User u\n';
      expect((await change('POST', '/api/servers/import/ssh-config', { text })).status).toBe(201);
      const bad = [{ name: 'four', hostname: 'h.test', username: 'u' }, { name: 'five' }];
      expect((await change('POST', '/api/servers/import', { servers: bad })).status).toBe(422);
      const names = (await heard('server_added')).map(({ data }) => data.name).sort();
      expect([names, (await heard()).length]).toEqual([['one', 'three', 'two'], 3]);
    });

    it('are not sent when a server stays because others jump through it', async () => {
      expect((await change('DELETE', `/api/servers/${box.id}`)).status).toBe(409);
      expect(await heard()).toEqual([]);
    });
  });

  it('are limited to the subscription, and not sent to a disabled webhook', async () => {
    const logins = await addWebhook(gateway.store, ['user_login']);
    const off = await addWebhook(gateway.store, ['*'], { enabled: false });
    await login('nobody', 'wrong');
    await gateway.user({ username: 'dora' });
    const kinds = async (id: number) => (await toldTo(gateway.store, id)).map(({ event }) => event);
    expect([await kinds(logins), await kinds(off)]).toEqual([['user_login'], []]);
    expect(freshAddress()).toMatch(/^10\./);
  });
});

describe.concurrent.each(DIALECTS)('Webhook events of the monitor (%s)', (dialect) => {
  it('are server_offline after two failures and server_online after one success, once each', async () => {
    const database = await migratedDatabaseUrl(dialect);
    const gateway = await startGateway({ database_url: database.url, env: MONITOR });
    const door = await openDoor(sshd.port);
    const hook = await addWebhook(gateway.store, ['server_offline', 'server_online']);
    const { username, password } = sshd;
    const { id } = await gateway.addServer({ name: 'box', port: door.port, username, password });
    await untilStatus(gateway.admin, id, isOnline);
    await untilRounds(gateway.admin, id, 1);
    expect(await toldTo(gateway.store, hook)).toEqual([]);
    await door.shut();
    await untilStatus(gateway.admin, id, isOffline);
    await gateway.admin.call('PUT', `/api/servers/${id}`, { description: 'looked at' });
    await untilRounds(gateway.admin, id, 3);
    const about = { server_id: id, server: 'box', hostname: '127.0.0.1' };
    const offline = { event: 'server_offline', data: { ...about, error: expect.stringMatching(/refused/i) } };
    expect(await toldTo(gateway.store, hook)).toEqual([offline]);
    await door.open();
    await untilStatus(gateway.admin, id, isOnline);
    await untilRounds(gateway.admin, id, 1);
    const online = { event: 'server_online', data: { ...about, error: null } };
    expect(await toldTo(gateway.store, hook)).toEqual([offline, online]);
    await gateway.close();
    await door.shut();
    await database.cleanup();
  });
});
