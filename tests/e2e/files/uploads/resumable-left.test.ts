import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import { DIALECTS, migratedDatabaseUrl } from '../../../support/databases/stores.ts';
import { eventually } from '../../../support/eventually.ts';
import { tusCaller } from '../../../support/features/tus.ts';
import { startGateway, type TestGateway } from '../../../support/gateway/gateway.ts';
import { type Door, openDoor } from '../../../support/hosts/door.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';

const SMALL = randomBytes(5000);
const LARGE = randomBytes(256 * 1024); // a form's small file reaches the host only when it is whole
const PAST = '2020-01-01T00:00:00.000Z';

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
const untilClean = () => eventually(() => expect(parts()).toEqual([]));
const rowsOf = ({ store }: TestGateway) => store.db.select().from(store.tables.uploads);

const untilForgotten = (gateway: TestGateway) =>
  eventually(async () => expect(await rowsOf(gateway)).toEqual([]));

function addHost(gateway: TestGateway, fields: Partial<Server> = {}): Promise<Server> {
  const { username, password } = sshd;
  const credential = fields.auth_method === 'prompt' ? {} : { username, password };
  return gateway.addServer({ port: door.port, ...credential, ...fields });
}

/** A part with content, and its row. */
async function leaveUpload(gateway: TestGateway, server: Server): Promise<string> {
  const tus = tusCaller(gateway.admin, server.id);
  const upload = await tus.begin({ path: root, filename: 'a', length: 2 * SMALL.length });
  await tus.append(upload, 0, SMALL);
  return upload.split('/').at(-1) ?? '';
}

async function expire({ store: { db, tables } }: TestGateway, id: string): Promise<void> {
  await db.update(tables.uploads).set({ expires_at: PAST }).where(eq(tables.uploads.id, id));
}

/** Sends one unfinished request; resolves when part of it is on the host. */
async function sendSome(gateway: TestGateway, server: Server): Promise<ClientRequest> {
  const path = `/api/files/${server.id}/upload?path=${encodeURIComponent(root)}`;
  const headers = {
    authorization: `Bearer ${gateway.admin.token}`,
    'content-type': 'multipart/form-data; boundary=b',
  };
  const sent = request(gateway.url + path, { method: 'POST', headers });
  sent.on('error', () => undefined).on('response', (response) => response.resume());
  sent.write('--b\r\ncontent-disposition: form-data; name="files"; filename="a"\r\n\r\n');
  sent.write(LARGE);
  await eventually(() => expect(parts()).toHaveLength(1));
  return sent;
}

describe.each(DIALECTS)('The part of an abandoned upload (%s)', (dialect) => {
  let database: Awaited<ReturnType<typeof migratedDatabaseUrl>>;
  let gateway: TestGateway;

  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    gateway = await startGateway({ database_url: database.url });
  });
  afterAll(async () => {
    await gateway?.close();
    await database?.cleanup();
  });

  async function startAnother(): Promise<void> {
    const another = await startGateway({ database_url: database.url, untouched: true });
    await untilClean()
      .then(() => untilForgotten(gateway))
      .finally(another.close);
  }

  it('is removed when it has expired, and nothing else is', async () => {
    const server = await addHost(gateway);
    await writeFile(join(root, 'mine.part'), 'not yours');
    const going_on = await leaveUpload(gateway, server);
    const [kept = ''] = parts();
    await expire(gateway, await leaveUpload(gateway, server));
    const another = await startGateway({ database_url: database.url, untouched: true });
    await eventually(async () => expect(await rowsOf(gateway)).toHaveLength(1)).finally(another.close);
    expect(readdirSync(root).sort()).toEqual([kept, 'mine.part']);
    expect(await rowsOf(gateway)).toMatchObject([{ id: going_on, abandoned: false }]);
    await expire(gateway, going_on);
    await startAnother();
  });

  it('is never another file, whatever the database contains', async () => {
    const server = await addHost(gateway);
    const id = await leaveUpload(gateway, server);
    await writeFile(join(root, 'precious'), 'precious');
    const { db, tables } = gateway.store;
    const change = { part_path: join(root, 'precious'), expires_at: PAST };
    await db.update(tables.uploads).set(change).where(eq(tables.uploads.id, id));
    const another = await startGateway({ database_url: database.url, untouched: true });
    await untilForgotten(gateway).finally(another.close);
    expect(readdirSync(root)).toContain('precious');
  });

  it('is removed even when its user is gone', async () => {
    const server = await addHost(gateway);
    const leaver = await gateway.user({ username: 'leaver', allowed_groups: ['lab'] });
    const id = await leaveUpload({ ...gateway, admin: leaver }, server);
    const { body } = await leaver.call<{ id: number }>('GET', '/api/auth/me');
    expect((await gateway.admin.call('DELETE', `/api/auth/users/${body.id}`)).status).toBe(204);
    await expire(gateway, id);
    await startAnother();
  });

  it('does not exist when the sender of a form disconnects', async () => {
    const server = await addHost(gateway);
    const sent = await sendSome(gateway, server);
    sent.destroy();
    await untilClean();
    await untilForgotten(gateway);
  });

  it('is removed as soon as a host that had died is reached again', async () => {
    const server = await addHost(gateway);
    await dieMeanwhile(server);
    await gateway.admin.call('GET', `/api/files/${server.id}/ls?path=/`);
    await untilClean();
    await untilForgotten(gateway);
  });

  it('waits until somebody connects to a host without stored credentials', async () => {
    const server = await addHost(gateway, { auth_method: 'prompt' });
    const { username, password } = sshd;
    const sign_in = { username, password };
    await gateway.admin.call('POST', `/api/files/${server.id}/connect`, sign_in);
    await dieMeanwhile(server);
    const another = await startGateway({ database_url: database.url, untouched: true });
    await another.close(); // It waits for background work.
    expect(parts()).toHaveLength(1);
    await makeDue(gateway);
    await gateway.admin.call('POST', `/api/files/${server.id}/connect`, sign_in);
    await gateway.admin.call('GET', `/api/files/${server.id}/ls?path=/`);
    await untilClean();
    await untilForgotten(gateway);
  });

  /** The host fails just before the next bytes, and returns after the upload was given up. */
  async function dieMeanwhile(server: Server): Promise<void> {
    const sent = await sendSome(gateway, server);
    await door.shut();
    try {
      sent.end(SMALL);
      await untilGivenUp();
      expect(parts()).toHaveLength(1);
    } finally {
      await door.open();
    }
  }

  /** The sender has its answer, but the part could not be removed. */
  async function untilGivenUp(): Promise<void> {
    await eventually(async () => {
      const [row] = await rowsOf(gateway);
      expect(Date.parse(row?.expires_at ?? '')).toBeLessThanOrEqual(Date.now());
    });
  }

  /** After a failed cleaning all instances wait two minutes. */
  async function makeDue({ store: { db, tables } }: TestGateway): Promise<void> {
    await db.update(tables.uploads).set({ expires_at: PAST });
  }
});
