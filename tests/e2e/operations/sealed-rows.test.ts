import { rmSync } from 'node:fs';
import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKeyring } from '#core/crypto/keyring.ts';
import type { Server } from '#core/model/hosts/server.ts';
import { quickFolder } from '../../support/databases/quick-folder.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { sealedBefore } from '../../support/features/sealed-before.ts';
import { enrol } from '../../support/features/totp.ts';
import { runHere } from '../../support/gateway/command.ts';
import {
  ADMIN_PASSWORD,
  logIn,
  SECRET_KEY,
  startGateway,
  type TestGateway,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';
import { type KeptLog, keepLog } from '../../support/gateway/logs.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const UNREADABLE = { success: false, message: expect.stringContaining('cannot be decrypted') };
const REACHED = { success: true, message: 'Connection successful' };

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

describe.each(DIALECTS)('A stored secret (%s)', (dialect) => {
  let database: FreshDatabase;
  let data_dir: string;
  let gateway: TestGateway;
  let log: KeptLog;
  let server: Server;

  async function start(untouched: boolean): Promise<TestGateway> {
    log = keepLog();
    const env = { SERVICE_DATA_DIR: data_dir };
    gateway = await startGateway({ database_url: database.url, env, untouched, log });
    return gateway;
  }

  beforeEach(async () => {
    database = await migratedDatabaseUrl(dialect);
    data_dir = quickFolder('sallyport-sealed-');
    const { addServer } = await start(false);
    const { hostname, port, username, private_key } = sshd;
    server = await addServer({ hostname, port, username, auth_method: 'key', private_key });
  });
  afterEach(async () => {
    await gateway.close();
    await database.cleanup();
    rmSync(data_dir, { recursive: true, force: true });
  });

  const rowOf = async ({ id }: Server) => {
    const { db, tables } = gateway.store;
    return (await db.select().from(tables.servers).where(eq(tables.servers.id, id)))[0];
  };
  const plant = ({ id }: Server, private_key_sealed: string) =>
    gateway.store.db
      .update(gateway.store.tables.servers)
      .set({ private_key_sealed })
      .where(eq(gateway.store.tables.servers.id, id));
  const oldForm = async () =>
    sealedBefore(await createKeyring(SECRET_KEY), sshd.private_key, 'servers.private_key');
  const test = async ({ id }: Server) => {
    const admin = await gateway.signIn('admin', ADMIN_PASSWORD);
    return (await admin.call('POST', `/api/servers/${id}/test`)).body;
  };
  const dropMark = () => gateway.store.batch(() => [sql`drop table bound_secrets`]);
  async function restart(): Promise<void> {
    await gateway.close();
    await start(true);
  }

  it('of a server does not open in the row of another server', async () => {
    const { hostname, port, username } = sshd;
    const other = await gateway.addServer({ name: 'other', hostname, port, username, auth_method: 'key' });
    await plant(other, (await rowOf(server))?.private_key_sealed ?? '');
    expect(await test(other)).toMatchObject(UNREADABLE);
    expect(await test(server)).toMatchObject(REACHED);
  });

  it('of a user does not open in the row of another user', async () => {
    const ann = await enrol(await gateway.user({ username: 'ann' }));
    await enrol(await gateway.user({ username: 'bob' }));
    const { db, tables } = gateway.store;
    const [row] = await db.select().from(tables.users).where(eq(tables.users.username, 'ann'));
    const stolen = { totp_secret_sealed: row?.totp_secret_sealed ?? null };
    await db.update(tables.users).set(stolen).where(eq(tables.users.username, 'bob'));
    const { status, body } = await logIn(gateway.anonymous, 'bob', USER_PASSWORD, ann.nextCode());
    expect([status, body['code']]).toEqual([502, 'credential_unreadable']);
  });

  it('of an older version is bound to its row by the first start with this version', async () => {
    await plant(server, await oldForm());
    await dropMark();
    rmSync(data_dir, { recursive: true, force: true });
    await restart();
    expect((await rowOf(server))?.private_key_sealed).toMatch(/^v2:/);
    expect(await test(server)).toMatchObject(REACHED);
  });

  it('in the old form is refused from then on, even in an empty data directory', async () => {
    await plant(server, await oldForm());
    rmSync(data_dir, { recursive: true, force: true });
    await restart();
    expect(await test(server)).toMatchObject(UNREADABLE);
    expect((await rowOf(server))?.private_key_sealed).toMatch(/^v1:/);
  });

  it('in the old form is refused in a database made to look old, until an operator accepts it', async () => {
    await plant(server, await oldForm());
    await dropMark();
    await restart();
    expect(await test(server)).toMatchObject(UNREADABLE);
    expect(log.lines.join('\n')).toContain('run: sallyport admin bind-secrets');
    const env = { SERVICE_DB_URL: database.url, SERVICE_DATA_DIR: data_dir, SERVICE_SECRET_KEY: SECRET_KEY };
    expect(await runHere(['admin', 'bind-secrets'], env)).toMatchObject({
      code: 0,
      stdout: `Bound: private_key of server box (#${server.id})\n`,
    });
    expect(await test(server)).toMatchObject(REACHED);
  });
});
