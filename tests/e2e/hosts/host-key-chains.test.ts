import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '#core/model/audit/audit.ts';
import type { Server } from '#core/model/hosts/server.ts';
import { eventually } from '../../support/eventually.ts';
import {
  addChain,
  listingOf,
  openingTerminal,
  serverOf,
  signInsAt,
  testOf,
} from '../../support/features/chain.ts';
import { type Actor, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const POSITIONS = [
  ['the first', 0],
  ['the second', 1],
  ['the last', 2],
] as const;

let gateway: TestGateway;
let member: Actor;
let sshds: [Sshd, Sshd, Sshd];

beforeAll(async () => {
  sshds = await Promise.all([startSshd(), startSshd(), startSshd()]);
  gateway = await startGateway({ one_instance: true }); // others would keep idle connections to these hosts
  member = await gateway.user({ username: 'member', allowed_groups: ['lab'] });
});
afterAll(async () => {
  await gateway?.close();
  await Promise.all((sshds ?? []).map((sshd) => sshd.stop()));
});

/** Three servers with pinned keys; one of the hosts then changes its key. */
async function swapped(index: 0 | 1 | 2): Promise<{ servers: Server[]; changed: Server; last: Server }> {
  const [first, second, third] = sshds;
  const name = (hop: string) => `${hop} of ${index}`;
  const servers = await addChain(gateway, [
    { name: name('outer'), sshd: first },
    { name: name('inner'), sshd: second },
    { name: name('last'), sshd: third },
  ]);
  expect(await testOf(gateway.admin, servers[2].id)).toMatchObject({ success: true });
  await sshds[index].rotateHostKey();
  await nobodyIsLeft();
  return { servers, changed: servers[index], last: servers[2] };
}

/** By then the hosts have logged every closed connection. */
async function nobodyIsLeft(): Promise<void> {
  for (const sshd of sshds) {
    await eventually(async () => expect(await sshd.sessionProcesses()).toEqual([]));
  }
}

function clearKey(actor: Actor, { id }: Server) {
  return actor.call('DELETE', `/api/servers/${id}/host-key`);
}

describe.each(POSITIONS)('A changed host key at %s of three hops', (_which, index) => {
  let servers: Server[];
  let changed: Server;
  let last: Server;
  beforeAll(async () => {
    ({ servers, changed, last } = await swapped(index));
  });

  it('is refused by terminal, SFTP and test with one message, before any credential', async () => {
    const told = sshds.map(signInsAt).slice(index);
    const terminal = openingTerminal(gateway, last.id);
    const error = await terminal.frame('error');
    const where = { code: 'host_key_changed', stage: 'host_key', hop: changed.name };
    expect(error).toEqual({
      ...{ type: 'error', ...where },
      message: expect.any(String),
      presented_host_key: expect.stringMatching(/^ssh-ed25519 \S+$/),
      presented_fingerprint: expect.stringMatching(/^SHA256:\S{43}$/),
    });
    expect((await terminal.closed()).code).toBe(1011);
    const detail = error['message'];
    expect(await listingOf(gateway.admin, last.id)).toEqual({
      status: 502,
      code: 'host_key_changed',
      detail,
    });
    const { success, message, stages } = await testOf(gateway.admin, last.id);
    expect({ success, message }).toEqual({ success: false, message: detail });
    expect(stages.at(-1)).toMatchObject({ name: 'host_key', hop: changed.name, ok: false, detail });
    await nobodyIsLeft();
    expect(sshds.map(signInsAt).slice(index)).toEqual(told);
  });

  it('is explained with the server, its address, the new key and the remedy', async () => {
    const { message } = await testOf(gateway.admin, last.id);
    for (const part of [changed.name, `127.0.0.1:${changed.port}`, await sshds[index].hostFingerprint()]) {
      expect(message).toContain(part);
    }
    expect(message).toContain('If you expected the new key, an administrator can accept it');
  });

  it('blocks everything behind it', async () => {
    await nobodyIsLeft();
    const connections = () =>
      sshds.slice(index + 1).map((sshd) => sshd.log().match(/^Connection from/gm)?.length);
    const before = connections();
    await testOf(gateway.admin, last.id);
    await nobodyIsLeft();
    expect(connections()).toEqual(before);
  });

  it('is cleared only by an administrator, with an audit entry', async () => {
    const pinned = (await serverOf(gateway.admin, changed.id)).host_key_fingerprint;
    const refused = await clearKey(member, changed);
    expect([refused.status, refused.body['code']]).toEqual([403, 'admin_only']);
    expect((await clearKey(gateway.admin, changed)).body).toEqual({ cleared: pinned });
    const { body } = await gateway.admin.call<AuditEntry[]>('GET', '/api/auth/audit?action=host_key_clear');
    expect(body[0]).toMatchObject({ username: 'admin', detail: expect.stringContaining(pinned) });
    expect(body[0]?.detail).toContain(changed.name);
  });

  it('is pinned again by the next connection, and every other pin stays', async () => {
    expect(await testOf(gateway.admin, last.id)).toMatchObject({ success: true });
    expect((await listingOf(gateway.admin, last.id)).status).toBe(200);
    const pins = servers.map(async ({ id }) => (await serverOf(gateway.admin, id)).host_key_fingerprint);
    expect(await Promise.all(pins)).toEqual(await Promise.all(sshds.map((sshd) => sshd.hostFingerprint())));
    await gateway.admin.call('PUT', `/api/servers/${last.id}`, { description: 'drops the connection' });
  });
});
