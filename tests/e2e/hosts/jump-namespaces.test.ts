import { randomBytes } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Listing } from '#core/model/files/directory-entry.ts';
import type { Server } from '#core/model/hosts/server.ts';
import { openShell } from '../../support/features/accounts.ts';
import { addChain, addHost, serverOf, testOf } from '../../support/features/chain.ts';
import { isOnline, untilStatus } from '../../support/features/statuses.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { makeRow, type Row, whyNoRow } from '../../support/hosts/netns.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const why_not = await whyNoRow();
if (why_not) process.stderr.write(`Not tried, for want of network namespaces: ${why_not}\n`);

const CONTENT = randomBytes(300_000);

describe.skipIf(why_not)('Three hops in a chain, each in its own network', () => {
  let row: Row;
  let gateway: TestGateway;
  let sshds: Sshd[];
  let servers: [Server, Server, Server];

  beforeAll(async () => {
    row = await makeRow();
    const [a, b, c] = row.places;
    const [outer, inner, last] = await Promise.all([startSshd(a), startSshd(b), startSshd(c)]);
    sshds = [outer, inner, last];
    gateway = await startGateway({
      env: {
        SERVICE_DISABLE_MONITOR: 'false',
        SERVICE_MONITOR_INTERVAL: '1',
        SERVICE_SSH_CONNECT_TIMEOUT: '4',
      },
    });
    const { private_key } = inner;
    const { encrypted_private_key, passphrase } = last;
    const by_key = { auth_method: 'key', password: '' };
    servers = await addChain(gateway, [
      { name: 'outer', sshd: outer },
      { name: 'inner', sshd: inner, ...by_key, private_key },
      { name: 'last', sshd: last, ...by_key, private_key: encrypted_private_key, passphrase },
    ]);
    await chmod(last.folder, 0o755);
    await writeFile(join(last.folder, 'blob.bin'), CONTENT);
  });
  afterAll(async () => {
    await gateway?.close();
    await Promise.all((sshds ?? []).map((sshd) => sshd.stop()));
    row?.remove();
  });

  it('test each hop with its own stages and times', async () => {
    const { success, message, stages } = await testOf(gateway.admin, servers[2].id);
    expect({ success, message }).toEqual({ success: true, message: 'Connection successful (via jump host)' });
    const names = ['resolve', 'tcp', 'handshake', 'host_key', 'auth'];
    const expected = ['outer', 'inner', 'last'].flatMap((hop) => names.map((name) => [hop, name, true]));
    expect(stages.map(({ hop, name, ok }) => [hop, name, ok])).toEqual([...expected, ['last', 'sftp', true]]);
    for (const { ms } of stages) expect(ms).toBeGreaterThanOrEqual(0);
    const accepted = stages.filter(({ name }) => name === 'auth').map(({ detail }) => detail);
    expect(accepted.map((detail) => detail.split(' by ')[1])).toEqual(['password', 'key', 'key']);
  });

  it('carry a shell of the last hop, which sees the hop before it and not the gateway', async () => {
    const shell = await openShell(gateway, servers[2].id, gateway.admin.token);
    shell.type('echo "<$SSH_CONNECTION>"\r');
    const { address, neighbor } = row.places[2];
    await shell.sees(new RegExp(`<${neighbor} \\d+ ${address} ${sshds[2]?.port}>`));
    shell.close(1000);
  });

  it('carry files', async () => {
    const folder = sshds[2]?.folder ?? '';
    const path = `/api/files/${servers[2].id}`;
    const { body } = await gateway.admin.call<Listing>('GET', `${path}/ls?path=${folder}`);
    expect(body.entries.map(({ name }) => name)).toEqual(['blob.bin']);
    const response = await gateway.admin.fetch(`${path}/download?path=${folder}/blob.bin`);
    expect(Buffer.from(await response.arrayBuffer()).equals(CONTENT)).toBe(true);
  });

  it('are each pinned by their own key', async () => {
    await testOf(gateway.admin, servers[2].id);
    const pins = servers.map(async ({ id }) => (await serverOf(gateway.admin, id)).host_key_fingerprint);
    const own = sshds.map((sshd) => sshd.hostFingerprint());
    expect(await Promise.all(pins)).toEqual(await Promise.all(own));
  });

  it('are all online for the monitor', async () => {
    for (const { id } of servers) {
      const { host_key_verified, latency_ms } = await untilStatus(gateway.admin, id, isOnline);
      expect([host_key_verified, typeof latency_ms]).toEqual([undefined, 'number']);
    }
  });

  it.each([1, 2] as const)('cannot be reached directly from here: %s', async (index) => {
    const sshd = sshds[index];
    if (!sshd) throw new Error('There is no such host');
    const { id } = await addHost(gateway, { name: `straight ${index}`, sshd });
    const { success, stages } = await testOf(gateway.admin, id);
    expect([success, stages.at(-1)?.name]).toEqual([false, 'tcp']);
    const callers = new Set(sshd.log().match(/(?<=^Connection from )\S+/gm));
    expect([...callers]).toEqual([row.places[index].neighbor]);
  });
});
