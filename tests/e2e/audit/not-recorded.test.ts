import { join } from 'node:path';
import { expect, it } from 'vitest';
import { auditRows } from '../../support/features/audit.ts';
import { enrol } from '../../support/features/totp.ts';
import { describeEachGateway, logIn } from '../../support/gateway/gateway.ts';
import { IS_BALANCED } from '../../support/gateway/is-balanced.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { downloadPath, entries, idOf, type Scene, sceneOn, sshd, useSshd } from './scene.ts';

useSshd();

describeEachGateway('What is not recorded', (gateway) => {
  const path = () => encodeURIComponent(join(sshd.folder, 'notes.txt'));

  it('is a directory listing, a stat, a text read, or any other read', async () => {
    const { gateway: on, server } = await sceneOn(gateway());
    const recorded = async () =>
      (await auditRows(on.store)).filter(({ action }) => !action.startsWith('host_key_')); // The action of a host.
    const before = await recorded();
    for (const asked of [
      `/api/files/${server.id}/ls?path=${encodeURIComponent(sshd.folder)}`,
      `/api/files/${server.id}/stat?path=${path()}`,
      `/api/files/${server.id}/read?path=${path()}`,
      '/api/servers',
      '/api/auth/me',
      '/api/auth/users',
      '/api/auth/sessions',
      '/api/auth/audit',
      '/api/auth/audit/verify',
    ]) {
      expect({ asked, status: (await on.admin.call('GET', asked)).status }).toEqual({ asked, status: 200 });
    }
    expect(await recorded()).toEqual(before);
  });

  // Each instance remembers what it has recorded.
  it.skipIf(IS_BALANCED)('is a further range that a player reads of one file', async () => {
    const scene = await sceneOn(gateway());
    for (const range of ['bytes=0-3', 'bytes=4-7', 'bytes=8-']) {
      const part = await gateway().admin.fetch(downloadPath(scene), { headers: { range } });
      expect(part.status).toBe(206);
      await part.text();
    }
    const label = `box (#${scene.server.id})`;
    expect(await entries(gateway(), { action: 'sftp_download', search: label })).toHaveLength(1);
  });

  it('is a refused download', async () => {
    const scene = await sceneOn(gateway());
    const missing = `/api/files/${scene.server.id}/download?path=/no/such/file`;
    expect((await gateway().admin.call('GET', missing)).status).toBe(404);
    const label = `box (#${scene.server.id})`;
    expect(await entries(gateway(), { action: 'sftp_download', search: label })).toEqual([]);
  });

  it('is any secret: password, key, code, token, credential', async () => {
    const secrets = await useSecrets(await sceneOn(gateway()));
    const rows = (await auditRows(gateway().store)).map(({ hash, chain_id, created_at, ...row }) => row);
    const text = JSON.stringify(rows).toLowerCase();
    for (const [what, secret] of secrets) {
      expect(secret, what).toMatch(/.{6}/);
      expect({ what, told: text.includes(secret.toLowerCase()) }).toEqual({ what, told: false });
    }
  });
});

/** Sends a secret wherever one can be sent; returns the secrets. */
async function useSecrets(scene: Scene): Promise<[string, string][]> {
  const { gateway, server } = scene;
  const { admin } = gateway;
  await logIn(gateway.anonymous, 'admin', 'zebra-wrong-password');
  await admin.call('POST', '/api/auth/users', { username: 'kept', password: 'zebra-new-password' });
  const kept = await gateway.signIn('kept', 'zebra-new-password');
  const changed = { new_password: 'zebra-changed-password', current_password: 'zebra-new-password' };
  await kept.call('POST', '/api/auth/change-password', changed);
  const key = await kept.call<{ key: string; id: number }>('POST', '/api/auth/api-keys', { name: 'kept' });
  await gateway.actor(key.body.key).call('GET', '/api/servers');
  const factor = await enrol(kept);
  const [recovery_code = ''] = factor.recovery_codes;
  await logIn(gateway.anonymous, 'kept', 'zebra-changed-password', recovery_code);
  const pending = await logIn(gateway.anonymous, 'kept', 'zebra-changed-password');
  const code = factor.nextCode();
  const pending_actor = gateway.actor(pending.body.access_token);
  const signed_in = await pending_actor.call<{ access_token: string }>('POST', '/api/auth/totp/verify', {
    code,
  });
  const { encrypted_private_key, passphrase } = sshd;
  const credentials = { password: 'zebra-host-password', private_key: encrypted_private_key, passphrase };
  expect((await admin.call('PUT', `/api/servers/${server.id}`, credentials)).status).toBe(200);
  await admin.call('PUT', `/api/servers/${server.id}`, { password: sshd.password });
  const reset = { password: 'zebra-reset-password' };
  await admin.call('PUT', `/api/auth/users/${await idOf(kept)}/password`, reset);
  await kept.call('DELETE', `/api/auth/api-keys/${key.body.id}`);
  const socket = await admin.call<{ ticket: string }>('POST', '/api/auth/ws-ticket');
  const url = `${gateway.url}/api/ws/terminal/${server.id}?cols=80&rows=24&ticket=${socket.body.ticket}`;
  const client = openTerminal(url);
  await client.frame('session');
  client.type('echo zebra-typed-in-the-shell; exit\n');
  await client.closed();
  await gateway.anonymous.fetch(`${downloadPath(scene)}&token=${admin.token}`);
  return [
    ['a wrong password', 'zebra-wrong-password'],
    ['any password', 'zebra-'],
    ['an API key', key.body.key],
    ['a TOTP secret', factor.secret],
    ['a TOTP code', code],
    ['a recovery code', recovery_code],
    ['a pending token', pending.body.access_token],
    ['a session token', signed_in.body.access_token],
    ['an administrator’s token', admin.token],
    ['a private key', encrypted_private_key.split('\n')[2] ?? ''],
    ['a passphrase', passphrase],
    ['a host’s password', sshd.password],
    ['a ticket', socket.body.ticket],
  ];
}

describeEachGateway('A refused terminal', (gateway) => {
  // Each instance remembers what it has recorded.
  it.skipIf(IS_BALANCED)(
    'is recorded once a minute for the same refusal, so that nobody can flood the log',
    async () => {
      const user = await gateway().user({ username: 'insistent' });
      for (let id = 1000; id < 1010; id += 1) {
        const socket = openTerminal(`${gateway().url}/api/ws/terminal/${id}`, {
          headers: { authorization: `Bearer ${user.token}` },
        });
        expect((await socket.closed()).code).toBe(4004);
      }
      const found = await entries(gateway(), { username: 'insistent', action: 'terminal_refuse' });
      expect(found.map(({ detail }) => detail)).toEqual(['server (#1000): server_not_found']);
    },
  );
});
