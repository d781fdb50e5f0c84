import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../../support/databases/stores.ts';
import { eventually } from '../../../support/eventually.ts';
import { tusCaller } from '../../../support/features/tus.ts';
import { startGateway, type TestGateway } from '../../../support/gateway/gateway.ts';
import { type Door, openDoor } from '../../../support/hosts/door.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';

const PAST = '2020-01-01T00:00:00.000Z';
const HOUR_MS = 60 * 60_000;

let sshd: Sshd;
let door: Door;
let root: string;
let folders = 0;

beforeAll(async () => {
  sshd = await startSshd();
  door = await openDoor(sshd.port);
});
afterAll(async () => {
  await door?.shut();
  await sshd?.stop();
});
beforeEach(async () => {
  folders += 1;
  root = join(sshd.folder, `files-${folders}`);
  await mkdir(root);
  await chown(root, sshd.uid, sshd.uid);
});

const parts = () => readdirSync(root).filter((name) => name.startsWith('.sallyport-'));
const refusals = () => sshd.log().split('Failed password').length - 1;

describe.each(DIALECTS)('The part files of a deleted server (%s)', (dialect) => {
  let database: FreshDatabase;
  let gateway: TestGateway;

  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    gateway = await startGateway({ database_url: database.url });
  });
  afterAll(async () => {
    await gateway?.close();
    await database?.cleanup();
  });
  afterEach(async () => {
    const { db, tables } = gateway.store;
    await db.delete(tables.part_removals);
  });

  const removals = () => gateway.store.db.select().from(gateway.store.tables.part_removals);
  const remove = (id: number) => gateway.admin.call('DELETE', `/api/servers/${id}`);

  async function addServer(fields: Partial<Server> & { password?: string }): Promise<Server> {
    const defaults = { name: 'box', hostname: '127.0.0.1', username: 'nobody' };
    const { body } = await gateway.admin.call<Server>('POST', '/api/servers', { ...defaults, ...fields });
    return body;
  }

  async function audited(action: string, { id, name }: Server): Promise<string[]> {
    const path = `/api/auth/audit?action=${action}&search=${encodeURIComponent(`${name} (#${id})`)}`;
    const { body } = await gateway.admin.call<{ detail: string }[]>('GET', path);
    return body.map(({ detail }) => detail);
  }

  /** A server with two unfinished uploads. */
  async function leaveUploads(fields: Partial<Server> = {}): Promise<Server> {
    const { username, password } = sshd;
    const credential = fields.auth_method === 'prompt' ? {} : { username, password };
    const server = await addServer({ port: door.port, ...credential, ...fields });
    if (fields.auth_method === 'prompt')
      await gateway.admin.call('POST', `/api/files/${server.id}/connect`, { username, password });
    const tus = tusCaller(gateway.admin, server.id);
    for (const filename of ['a', 'b']) {
      const upload = await tus.begin({ path: root, filename, length: 10_000 });
      await tus.append(upload, 0, randomBytes(5000));
    }
    expect(parts()).toHaveLength(2);
    return server;
  }

  async function restart(): Promise<void> {
    await gateway.close();
    const { token } = gateway.admin;
    const started = await startGateway({ database_url: database.url, untouched: true });
    gateway = { ...started, admin: started.actor(token) };
  }

  /** The pause after a failure is over. */
  async function makeDue(): Promise<void> {
    const { db, tables } = gateway.store;
    await db.update(tables.part_removals).set({ next_at: PAST });
  }

  const untilGone = () => eventually(async () => expect([parts(), await removals()]).toEqual([[], []]));

  it('are removed when the deletion has its answer', async () => {
    const server = await leaveUploads();
    const paths = parts().map((name) => join(root, name));
    expect((await remove(server.id)).status).toBe(204);
    expect([parts(), await removals()]).toEqual([[], []]);
    const label = `box (#${server.id})`;
    expect(await audited('server_delete', server)).toEqual([`${label}; part files to remove: 2`]);
    const [detail = ''] = await audited('server_parts_remove', server);
    expect(detail).toMatch(new RegExp(`^box \\(#${server.id}\\): removed `));
    for (const path of paths) expect(detail).toContain(path);
  });

  it('are removed after a restart when the host was away, with the sealed credential', async () => {
    const server = await leaveUploads();
    await door.shut();
    try {
      expect((await remove(server.id)).status).toBe(204);
      await eventually(async () => expect(await removals()).toMatchObject([{ failures: 1 }]));
      const [row] = await removals();
      expect(row?.connection_sealed).toMatch(/^v2:/);
      expect((await gateway.admin.call('GET', `/api/servers/${server.id}`)).status).toBe(404);
    } finally {
      await door.open();
    }
    expect(parts()).toHaveLength(2);
    await makeDue();
    await restart();
    await untilGone();
  });

  it('are removed through a jump host that was deleted in between', async () => {
    const { username, password } = sshd;
    const jump = await addServer({ name: 'jump', port: sshd.port, username, password });
    const server = await leaveUploads({ jump_via_id: jump.id });
    expect(await remove(jump.id)).toMatchObject({ status: 409, body: { code: 'jump_host_in_use' } });
    await door.shut();
    try {
      await remove(server.id);
      await eventually(async () => expect(await removals()).toMatchObject([{ failures: 1 }]));
      expect((await remove(jump.id)).status).toBe(204);
    } finally {
      await door.open();
    }
    await makeDue();
    await restart();
    await untilGone();
  });

  it('cost one refusal an hour when the credential is refused', async () => {
    const server = await leaveUploads();
    await gateway.admin.call('PUT', `/api/servers/${server.id}`, { password: 'wrong by now' });
    const before = refusals();
    expect((await remove(server.id)).status).toBe(204);
    await eventually(async () => expect(await removals()).toMatchObject([{ failures: 1 }]));
    const [row] = await removals();
    expect(Date.parse(row?.next_at ?? '') - Date.now()).toBeGreaterThan(0.9 * HOUR_MS);
    await restart();
    await restart(); // each start sweeps, and each stop waits for it
    expect(refusals() - before).toBe(1);
  });

  it('are sent no credential when another host has taken the address', async () => {
    const other = await startSshd();
    const server = await leaveUploads();
    await door.shut();
    await remove(server.id);
    await eventually(async () => expect(await removals()).toMatchObject([{ failures: 1 }]));
    await door.open(other.port);
    try {
      await makeDue();
      await restart();
      await eventually(async () => expect(await removals()).toMatchObject([{ failures: 2 }]));
      expect(other.log()).not.toMatch(/password for/);
    } finally {
      await door.shut();
      await door.open();
      await other.stop();
    }
  });

  it('stay where nothing is stored, and the audit log says so', async () => {
    const server = await leaveUploads({ auth_method: 'prompt' });
    expect((await remove(server.id)).status).toBe(204);
    const why = 'part files left on the host: 2 (no stored credential)';
    expect(await audited('server_delete', server)).toEqual([`box (#${server.id}); ${why}`]);
    expect([parts().length, await removals()]).toEqual([2, []]);
  });
});
