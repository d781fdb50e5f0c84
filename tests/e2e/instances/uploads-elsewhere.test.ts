import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { openPatch, tusCaller } from '../../support/features/tus.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const CONTENT = randomBytes(1000);

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

describe.each(DIALECTS)('A resumable upload, behind a balancer (%s)', (dialect) => {
  let database: FreshDatabase;
  let one: TestGateway;
  let other: TestGateway;
  let server_id: number;
  let folder: string;
  let uploads = 0;
  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    one = await startGateway({ database_url: database.url });
    other = await startGateway({ database_url: database.url, untouched: true });
    const { port, username, password } = sshd;
    server_id = (await one.addServer({ port, username, password })).id;
    folder = join(sshd.folder, dialect);
    await mkdir(folder);
    await chown(folder, sshd.uid, sshd.uid);
  });
  afterAll(async () => {
    await one?.close();
    await other?.close();
    await database?.cleanup();
  });

  let here: ReturnType<typeof tusCaller>;
  let there: ReturnType<typeof tusCaller>;
  let filename: string;
  let upload: string;
  beforeEach(async () => {
    uploads += 1;
    filename = `file ${uploads}`;
    here = tusCaller(one.admin, server_id);
    there = tusCaller(other.actor(one.admin.token), server_id);
    upload = await here.begin({ path: folder, filename, length: CONTENT.length });
  });

  const onHost = () => readFile(join(folder, filename));

  it('continues at the other instance', async () => {
    expect((await here.append(upload, 0, CONTENT.subarray(0, 400))).status).toBe(204);
    expect(await there.offset(upload)).toBe(400);
    expect((await there.append(upload, 400, CONTENT.subarray(400))).status).toBe(204);
    expect(await onHost()).toEqual(CONTENT);
  });

  it('stops a request that hangs at one instance when the other is asked to continue', async () => {
    const hanging = openPatch(one.url + upload, { token: one.admin.token, offset: 0 });
    hanging.write(CONTENT.subarray(0, 400));
    expect(await there.beyond(upload, 399)).toBe(400);
    expect((await there.append(upload, 400, CONTENT.subarray(400))).status).toBe(204);
    expect((await hanging.answered).statusCode).toBe(423);
    expect(await onHost()).toEqual(CONTENT);
  });

  it('answers alike at both instances once it is finished', async () => {
    expect((await there.append(upload, 0, CONTENT)).status).toBe(204);
    const heads = await Promise.all([here, there].map(({ ask }) => ask('HEAD', upload)));
    const told = heads.map(({ status, headers }) => [
      status,
      ...['upload-offset', 'upload-length', 'upload-metadata'].map((name) => headers.get(name)),
    ]);
    expect(told[0]).toEqual(told[1]);
    expect(told[0]?.slice(0, 3)).toEqual([200, '1000', '1000']);
    const nothing = new Uint8Array(0);
    for (const { append } of [here, there]) {
      expect((await append(upload, CONTENT.length, nothing)).status).toBe(204);
      expect((await append(upload, 0, CONTENT)).status).toBe(409);
    }
    expect(await onHost()).toEqual(CONTENT);
  });

  it('is not found at either instance once it was removed after its end', async () => {
    await here.append(upload, 0, CONTENT);
    expect((await there.ask('DELETE', upload)).status).toBe(204);
    expect(await there.offset(upload)).toBe('404');
    expect(await onHost()).toEqual(CONTENT);
  });

  it('is found at the other instance by nobody else', async () => {
    await here.append(upload, 0, CONTENT);
    const stranger = await other.user({ username: `stranger ${uploads}`, allowed_groups: ['lab'] });
    expect(await tusCaller(stranger, server_id).offset(upload)).toBe('404');
  });
});
