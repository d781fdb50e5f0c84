import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConnectionTest } from '#core/model/hosts/connection-test.ts';
import type { Server } from '#core/model/hosts/server.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { freePort } from '../../support/hosts/tcp.ts';

let sshd: Sshd;
let gateway: TestGateway;
let server: Server;

async function start(env: Record<string, string> = {}): Promise<void> {
  gateway = await startGateway({ env });
  const { port, username, password } = sshd;
  server = await gateway.addServer({ name: 'pinned', port, username, password });
}

beforeEach(async () => {
  sshd = await startSshd();
});
afterEach(async () => {
  await gateway.close();
  await sshd.stop();
});

const test = async () =>
  (await gateway.admin.call<ConnectionTest>('POST', `/api/servers/${server.id}/test`)).body;
const fingerprint = async () =>
  (await gateway.admin.call<Server>('GET', `/api/servers/${server.id}`)).body.host_key_fingerprint;

describe('Host keys', () => {
  it('pin the key of the first connection', async () => {
    await start();
    expect(await fingerprint()).toBe('');
    await test();
    expect(await fingerprint()).toBe(await sshd.hostFingerprint());
  });

  it('refuse a changed key on every way in, before any credential', async () => {
    await start();
    await test();
    await sshd.rotateHostKey();
    const tried = (sshd.log().match(/userauth-request/g) ?? []).length;
    const tested = await test();
    expect(tested.success).toBe(false);
    expect(tested.stages.at(-1)).toMatchObject({ name: 'host_key', ok: false });
    const listed = await gateway.admin.call('GET', `/api/files/${server.id}/ls?path=/`);
    expect({ status: listed.status, code: listed.body['code'] }).toEqual({
      status: 502,
      code: 'host_key_changed',
    });
    expect(listed.body['detail']).toContain(await sshd.hostFingerprint());
    const client = openTerminal(`${gateway.url}/api/ws/terminal/${server.id}?cols=80&rows=24`, {
      headers: { authorization: `Bearer ${gateway.admin.token}` },
    });
    expect(await client.frame('error')).toMatchObject({ code: 'host_key_changed', stage: 'host_key' });
    expect((sshd.log().match(/userauth-request/g) ?? []).length).toBe(tried);
  });

  it('accept the new key once an administrator has cleared the pin', async () => {
    await start();
    await test();
    await sshd.rotateHostKey();
    await gateway.admin.call('DELETE', `/api/servers/${server.id}/host-key`);
    expect((await test()).success).toBe(true);
    expect(await fingerprint()).toBe(await sshd.hostFingerprint());
  });

  it('accept exactly the key that was refused, and no other, once an administrator has accepted it', async () => {
    await start();
    await test();
    const old = await sshd.hostFingerprint();
    await sshd.rotateHostKey();
    const fresh = await sshd.hostFingerprint();
    const host_key = (await test()).stages.at(-1)?.presented_host_key;
    expect(host_key).toMatch(/^ssh-ed25519 AAAA/);
    await sshd.rotateHostKey(); // somebody else answers by now
    const path = `/api/servers/${server.id}/host-key`;
    expect((await gateway.admin.call('PUT', path, { host_key })).body).toEqual({
      pinned: fresh,
      cleared: old,
    });
    const refused = await test();
    expect(refused.stages.at(-1)).toMatchObject({ name: 'host_key', ok: false });
    expect(refused.message).toContain(await sshd.hostFingerprint());
    expect(await fingerprint()).toBe(fresh);
    await gateway.admin.call('PUT', path, { host_key: refused.stages.at(-1)?.presented_host_key });
    expect((await test()).success).toBe(true);
  });

  it.each(['ssh-ed25519 AAAA', 'ssh-dss AAAA', 'no key', 'x'])(
    'refuse %s as a key to accept',
    async (host_key) => {
      await start();
      const { status, body } = await gateway.admin.call('PUT', `/api/servers/${server.id}/host-key`, {
        host_key,
      });
      expect({ status, path: (body['errors'] as { path: string }[])[0]?.path }).toEqual({
        status: 422,
        path: 'host_key',
      });
    },
  );

  it('are not checked when SERVICE_VERIFY_HOST_KEYS is false', async () => {
    await start({ SERVICE_VERIFY_HOST_KEYS: 'false' });
    await test();
    await sshd.rotateHostKey();
    expect((await test()).success).toBe(true);
    expect(await fingerprint()).toBe('');
  });
});

describe('The connection test', () => {
  it('says Connection successful, with its stages', async () => {
    await start();
    const { success, message, stages } = await test();
    expect({ success, message }).toEqual({ success: true, message: 'Connection successful' });
    expect(stages.map(({ name, ok }) => [name, ok])).toEqual(
      ['resolve', 'tcp', 'handshake', 'host_key', 'auth', 'sftp'].map((name) => [name, true]),
    );
  });

  it('says Connection successful (via jump host) when tunneled', async () => {
    await start();
    const { port, username, password } = sshd;
    const inner = await gateway.addServer({
      name: 'inner',
      port,
      username,
      password,
      jump_via_id: server.id,
    });
    const { body } = await gateway.admin.call<ConnectionTest>('POST', `/api/servers/${inner.id}/test`);
    expect(body).toMatchObject({ success: true, message: 'Connection successful (via jump host)' });
  });

  it('answers 200 with the reason when it fails', async () => {
    await start();
    const closed = await gateway.addServer({ name: 'closed', port: await freePort() });
    const { status, body } = await gateway.admin.call<ConnectionTest>(
      'POST',
      `/api/servers/${closed.id}/test`,
    );
    expect(status).toBe(200);
    expect(body.success).toBe(false);
    expect(body.stages.at(-1)).toMatchObject({ name: 'tcp', ok: false });
  });
});
