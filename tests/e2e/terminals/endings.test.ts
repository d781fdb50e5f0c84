import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openShell, userOf } from '../../support/features/accounts.ts';
import { ENDINGS, HARMLESS, setScene } from '../../support/features/endings.ts';
import { describeEachGateway } from '../../support/gateway/gateway.ts';
import { IS_BALANCED } from '../../support/gateway/is-balanced.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { startSilentPeer } from '../../support/hosts/tcp.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(async () => {
  await sshd?.stop();
});

const SIZE = 256 * 1024 * 1024; // Much more than the buffers on the way hold.

describeEachGateway('A download under way', (gateway) => {
  let server_id: number;
  const path = () => join(sshd.folder, 'large.bin');
  beforeAll(async () => {
    const { port, username, password } = sshd;
    server_id = (await gateway().addServer({ port, username, password })).id;
    await truncate(path(), SIZE).catch(() => writeFile(path(), '').then(() => truncate(path(), SIZE)));
  });

  async function begin(token: string) {
    const asked = `/api/files/${server_id}/download?path=${encodeURIComponent(path())}`;
    const response = await gateway().actor(token).fetch(asked);
    const reader = response.body?.getReader();
    if (!reader) throw new Error(`No body: ${response.status}`);
    await reader.read();
    return reader;
  }

  it.each(Object.entries(ENDINGS))('is aborted when %s', async (_what, change) => {
    const here = { here: gateway(), there: { gateway: gateway(), admin: gateway().admin } };
    const { scene, token } = await setScene(change, here);
    const reader = await begin(token);
    expect((await change.make(scene)).status).toBeLessThan(300);
    await expect(drain(reader)).rejects.toThrow();
  });

  it('continues when somebody else changes', async () => {
    const user = await gateway().user({ username: 'loader', allowed_groups: ['lab'] });
    const other = await gateway().user({ username: 'bystander', allowed_groups: ['lab'] });
    const reader = await begin(user.token);
    await other.call('DELETE', '/api/auth/sessions');
    expect(await drain(reader)).toBeGreaterThan(SIZE / 2);
  });
});

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<number> {
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length;
  return bytes;
}

describeEachGateway('An open terminal', (gateway) => {
  let server_id: number;
  beforeAll(async () => {
    const { port, username, password } = sshd;
    server_id = (await gateway().addServer({ port, username, password })).id;
  });

  const place = () => ({ here: gateway(), there: { gateway: gateway(), admin: gateway().admin } });

  it.each(Object.entries(ENDINGS))('ends at once with 4009 when %s', async (_what, change) => {
    const { scene, token } = await setScene(change, place());
    const shell = await openShell(gateway(), server_id, token);
    expect((await change.make(scene)).status).toBeLessThan(300);
    if (IS_BALANCED) await shell.closed();
    shell.send({ type: 'ping' }); // It has already ended, before the change was answered.
    await expect(shell.frame('pong')).rejects.toThrow('Closed (4009');
    expect(await shell.frame('error')).toMatchObject({ code: 'terminal_ended' });
  });

  it.each(Object.entries(HARMLESS))('stays open when %s', async (_what, change) => {
    const { scene, token } = await setScene(change, place());
    const shell = await openShell(gateway(), server_id, token);
    expect((await change.make(scene)).status).toBeLessThan(300);
    shell.type('echo still-$((40 + 2))\r');
    await shell.sees(/still-42/);
    shell.close(1000);
  });

  it('ends with 4009 when the user loses the group while the host is still being connected', async () => {
    const peer = await startSilentPeer();
    const { id } = await gateway().addServer({ name: 'silent', port: peer.port });
    const user = await gateway().user({ username: 'impatient', allowed_groups: ['lab'] });
    const url = `${gateway().url}/api/ws/terminal/${id}?cols=80&rows=24`;
    const client = openTerminal(url, { headers: { authorization: `Bearer ${user.token}` } });
    await peer.connected();
    const groups = `/api/auth/users/${(await userOf(user)).id}/groups`;
    await gateway().admin.call('PUT', groups, { allowed_groups: [] });
    expect((await client.closed()).code).toBe(4009);
    await peer.stop();
  });
});
