import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import { addHost, listingOf, openingTerminal, serverOf, testOf } from '../../support/features/chain.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const LEGACY_HELPS = `Setting the server's algorithms to "legacy" would allow it`;

const OLD_HOSTS = [
  ['cipher', 'aes128-cbc', ['Ciphers aes128-cbc']],
  ['key exchange algorithm', 'diffie-hellman-group14-sha1', ['KexAlgorithms diffie-hellman-group14-sha1']],
  ['MAC algorithm', 'hmac-sha1', ['Ciphers aes128-ctr', 'MACs hmac-sha1']],
  ['host key algorithm', 'ssh-rsa', ['HostKeyAlgorithms ssh-rsa']],
] as const;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

describe.each(OLD_HOSTS)('A host whose only %s is %s', (what, offered, config) => {
  let sshd: Sshd;
  let server: Server;
  beforeAll(async () => {
    sshd = await startSshd({ config });
    server = await addHost(gateway, { name: offered, sshd });
  });
  afterAll(() => sshd?.stop());

  it('is refused by default, with its offer and a remedy', async () => {
    const { success, message, stages } = await testOf(gateway.admin, server.id);
    expect(success).toBe(false);
    expect(stages.at(-1)).toMatchObject({ name: 'handshake', ok: false, detail: message });
    const missing = `shares no ${what} with this gateway: it offers ${offered}`;
    expect(message).toBe(`127.0.0.1:${sshd.port} ${missing}. ${LEGACY_HELPS}`);
    const terminal = openingTerminal(gateway, server.id);
    expect(await terminal.frame('error')).toMatchObject({
      code: 'ssh_protocol',
      stage: 'handshake',
      message,
    });
    expect(await listingOf(gateway.admin, server.id)).toMatchObject({ status: 502, detail: message });
    expect((await serverOf(gateway.admin, server.id)).host_key_fingerprint).toBe('');
  });

  it('is reached with legacy algorithms, again and again', async () => {
    const { body } = await gateway.admin.call<Server>('PUT', `/api/servers/${server.id}`, {
      algorithms: 'legacy',
    });
    expect(body.algorithms).toBe('legacy');
    expect(await testOf(gateway.admin, server.id)).toMatchObject({ success: true });
    const terminal = openingTerminal(gateway, server.id);
    await terminal.frame('session');
    terminal.close(1000);
    expect((await listingOf(gateway.admin, server.id)).status).toBe(200);
  });
});

describe('An old host behind a jump host', () => {
  it('is named when it shares no algorithm with the gateway, and is reached by its own legacy setting', async () => {
    const [bastion, old] = await Promise.all([startSshd(), startSshd({ config: ['Ciphers aes128-cbc'] })]);
    const { id } = await addHost(gateway, { name: 'bastion', sshd: bastion });
    const inner = await addHost(gateway, { name: 'old', sshd: old, jump_via_id: id });
    const { message, stages } = await testOf(gateway.admin, inner.id);
    expect(message).toContain('it offers aes128-cbc');
    expect(stages.at(-1)).toMatchObject({ name: 'handshake', hop: 'old', ok: false });
    await gateway.admin.call('PUT', `/api/servers/${inner.id}`, { algorithms: 'legacy' });
    expect(await testOf(gateway.admin, inner.id)).toMatchObject({ success: true });
    expect((await serverOf(gateway.admin, id)).algorithms).toBe('default');
    await Promise.all([bastion.stop(), old.stop()]);
  });
});
