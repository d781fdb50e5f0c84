import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chown, mkdir, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { UploadEntry, UploadState } from '#core/model/files/upload.ts';
import type { Server } from '#core/model/hosts/server.ts';
import { migratedDatabaseUrl } from '../../../support/databases/stores.ts';
import { eventually } from '../../../support/eventually.ts';
import { auditRows } from '../../../support/features/audit.ts';
import { metadata, openPatch, PIECE, type TusAnswer, tusCaller } from '../../../support/features/tus.ts';
import {
  type Actor,
  describeEachGateway,
  startGateway,
  type TestGateway,
} from '../../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';

const MIB = 1024 * 1024;
const CONTENT = randomBytes(5 * MIB + 17);
const SMALL = Buffer.from('twelve bytes');

let sshd: Sshd;
let root: string;
let folders = 0;

beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());
beforeEach(async () => {
  folders += 1;
  root = join(sshd.folder, `files-${folders}`);
  await ownFolder(root);
});

async function ownFolder(path: string): Promise<void> {
  await mkdir(path);
  await chown(path, sshd.uid, sshd.uid);
}

function addHost(gateway: TestGateway, fields: Partial<Server> = {}): Promise<Server> {
  const { port, username, password } = sshd;
  return gateway.addServer({ name: 'box', port, username, password, ...fields });
}

const parts = () => readdirSync(root).filter((name) => name.startsWith('.sallyport-'));
const content = (name: string) => readFileSync(join(root, name));
const bytesOfParts = () => parts().map((name) => content(name).length);
const told = ({ status, code }: TusAnswer) => ({ status, code });

describeEachGateway('Resumable uploads', (gateway, dialect) => {
  let server: Server;
  let tus: ReturnType<typeof tusCaller>;

  beforeAll(async () => {
    server = await addHost(gateway());
    tus = tusCaller(gateway().admin, server.id);
  });

  const begin = (filename = 'a.bin', length = CONTENT.length, more: { overwrite?: string } = {}) =>
    tus.begin({ path: root, filename, length, ...more });
  const patch = (upload: string, offset: number, token = gateway().admin.token) =>
    openPatch(gateway().url + upload, { token, offset });
  const idOf = (upload: string) => upload.split('/').at(-1) ?? '';
  const rowOf = async (upload: string) => {
    const { db, tables } = gateway().store;
    const rows = await db
      .select()
      .from(tables.uploads)
      .where(eq(tables.uploads.id, idOf(upload)));
    return rows[0];
  };

  describe('in one piece', () => {
    it('starts, stops, resumes, and ends as a file', async () => {
      const upload = await begin('ä "b".bin');
      expect(await tus.offset(upload)).toBe(0);
      expect(parts()).toHaveLength(1);
      const first = await tus.append(upload, 0, CONTENT.subarray(0, MIB));
      expect([first.status, first.headers.get('upload-offset')]).toEqual([204, String(MIB)]);
      expect(await tus.offset(upload)).toBe(MIB);
      expect(existsSync(join(root, 'ä "b".bin'))).toBe(false);
      const last = await tus.append(upload, MIB, CONTENT.subarray(MIB));
      expect([last.status, last.headers.get('upload-offset')]).toEqual([204, String(CONTENT.length)]);
      expect(content('ä "b".bin').equals(CONTENT)).toBe(true);
      expect(parts()).toEqual([]);
      expect(await rowOf(upload)).toBeUndefined();
      expect(await auditRows(gateway().store)).toContainEqual(
        expect.objectContaining({
          username: 'admin',
          action: 'sftp_upload',
          detail: `box (#${server.id}): ${root}/ä "b".bin`,
        }),
      );
    });

    it('sends the protocol headers, on refusals too', async () => {
      const begun = await tus.ask('POST', tus.base, {
        headers: { 'upload-length': '5', 'upload-metadata': metadata({ path: root, filename: 'h' }) },
      });
      expect(begun.headers.get('location')).toMatch(/^uploads\/[\w-]{22}$/);
      const upload = `/api/files/${server.id}/${begun.headers.get('location')}`;
      const shown = await tus.ask('HEAD', upload);
      expect(Object.fromEntries(shown.headers)).toMatchObject({
        'tus-resumable': '1.0.0',
        'upload-offset': '0',
        'upload-length': '5',
        'cache-control': 'no-store',
      });
      const left_ms = Date.parse(shown.headers.get('upload-expires') ?? '') - Date.now();
      expect(Math.round(left_ms / 3_600_000)).toBe(24);
      const sent = metadata({ path: root, filename: 'h' });
      expect(shown.headers.get('upload-metadata')).toBe(sent);
      const refused = await tus.ask('HEAD', `${tus.base}/unknown`);
      expect([refused.status, refused.headers.get('tus-resumable')]).toEqual([404, '1.0.0']);
    });

    it('takes POST with X-HTTP-Method-Override for the methods that a client cannot send', async () => {
      const as = (method: string, headers: object = {}) => ({ 'x-http-method-override': method, ...headers });
      const upload = await tus.begin({ path: root, filename: 'meant.bin', length: 4 });
      const piece = as('PATCH', { 'content-type': PIECE, 'upload-offset': '0' });
      const sent = await tus.ask('POST', upload, { headers: piece, body: 'ab' });
      expect([sent.status, sent.headers.get('upload-offset')]).toEqual([204, '2']);
      const shown = await tus.ask('POST', upload, { headers: as('head') });
      expect([shown.status, shown.headers.get('upload-offset')]).toEqual([200, '2']);
      expect((await tus.ask('POST', upload, { headers: as('DELETE') })).status).toBe(204);
      expect(await tus.offset(upload)).toBe('404');
      const elsewhere = { method: 'POST', headers: as('DELETE') };
      expect((await gateway().admin.fetch(`/api/servers/${server.id}`, elsewhere)).status).toBe(404);
      expect((await gateway().anonymous.fetch(upload, elsewhere)).status).toBe(401);
    });

    it('announces its extensions', async () => {
      const { status, headers } = await gateway().anonymous.fetch(tus.base, { method: 'OPTIONS' });
      expect(status).toBe(204);
      expect(Object.fromEntries(headers)).toMatchObject({
        'tus-resumable': '1.0.0',
        'tus-version': '1.0.0',
        'tus-extension': 'creation,termination,expiration',
      });
      expect(headers.get('tus-max-size')).toBeNull();
    });

    it('is shown as JSON, and listed while it can be resumed', async () => {
      const upload = await begin('listed');
      await tus.append(upload, 0, SMALL);
      const { body } = await gateway().admin.call<UploadState>('GET', upload);
      expect(body).toMatchObject({ path: `${root}/listed`, length: CONTENT.length, offset: SMALL.length });
      const listed = await gateway().admin.call<UploadEntry[]>('GET', tus.base);
      const { offset: _, metadata: __, ...entry } = body;
      expect(listed.body).toContainEqual({ ...entry, expires_at: expect.any(String) });
      await tus.ask('DELETE', upload);
      const after = await gateway().admin.call<UploadEntry[]>('GET', tus.base);
      expect(after.body.map(({ id }) => id)).not.toContain(idOf(upload));
    });

    it('is complete at once when it is empty', async () => {
      await begin('empty', 0);
      expect([content('empty').length, parts()]).toEqual([0, []]);
    });

    it('still reports its end when the last answer was lost', async () => {
      const upload = await begin('a', SMALL.length);
      await tus.append(upload, 0, SMALL);
      expect(await tus.offset(upload)).toBe(SMALL.length);
      expect(await tus.append(upload, SMALL.length, new Uint8Array())).toMatchObject({ status: 204 });
      expect(await tus.append(upload, 0, SMALL)).toMatchObject({ status: 409, code: 'upload_offset' });
    });

    it('is forgotten with DELETE when it is complete, and the file stays', async () => {
      const upload = await begin('a', SMALL.length);
      await tus.append(upload, 0, SMALL);
      expect(await tus.ask('DELETE', upload)).toMatchObject({ status: 204 });
      expect(await tus.offset(upload)).toBe('404');
      expect(content('a').equals(SMALL)).toBe(true);
    });

    it('is completed even when its last request was cut off just before the end', async () => {
      const upload = await begin('a', SMALL.length);
      const [part = ''] = parts();
      await writeFile(join(root, part), SMALL);
      expect(await tus.offset(upload)).toBe(SMALL.length);
      expect([content('a').equals(SMALL), parts()]).toEqual([true, []]);
    });

    it('removes its part with DELETE', async () => {
      const upload = await begin();
      await tus.append(upload, 0, SMALL);
      expect(await tus.ask('DELETE', upload)).toMatchObject({ status: 204 });
      expect(parts()).toEqual([]);
      expect(await tus.offset(upload)).toBe('404');
      expect(await tus.ask('DELETE', upload)).toMatchObject({ status: 404, code: 'upload_not_found' });
    });
  });

  describe('refuses', () => {
    const create = async (headers: Record<string, string>, place: Record<string, string> = {}) =>
      told(
        await tus.ask('POST', tus.base, {
          headers: {
            'upload-length': '5',
            'upload-metadata': metadata({ path: root, filename: 'a', ...place }),
            ...headers,
          },
        }),
      );

    it.each([
      ['another version', { 'tus-resumable': '0.2.2' }, 412, 'tus_version'],
      ['no length', { 'upload-length': '' }, 422, 'validation'],
      ['no metadata', { 'upload-metadata': '' }, 422, 'validation'],
      ['metadata that is no base64', { 'upload-metadata': 'filename a.txt' }, 422, 'validation'],
      ['metadata without a name', { 'upload-metadata': metadata({ path: '/' }) }, 422, 'validation'],
    ])('to start with %s', async (_what, headers, status, code) => {
      const given: Record<string, string> = Object.fromEntries(
        Object.entries(headers).filter(([, value]) => value !== ''),
      );
      const dropped = Object.keys(headers).filter((name) => !(name in given));
      const all = {
        'upload-length': '5',
        'upload-metadata': metadata({ path: root, filename: 'a' }),
        ...given,
      };
      for (const name of dropped) Reflect.deleteProperty(all, name);
      const answer = await tus.ask('POST', tus.base, { headers: all });
      expect(told(answer)).toEqual({ status, code });
      if (code === 'tus_version') expect(answer.headers.get('tus-version')).toBe('1.0.0');
    });

    it.each([
      ['', 'invalid_name'],
      ['.', 'invalid_name'],
      ['..', 'invalid_name'],
      ['a/b', 'invalid_name'],
      ['a\0b', 'invalid_name'],
    ])('the name %j', async (filename, code) => {
      expect(await create({}, { filename })).toEqual({ status: 400, code });
      expect(parts()).toEqual([]);
    });

    it('a name that is too long for the host, before anything is sent', async () => {
      expect((await create({}, { filename: 'n'.repeat(256) })).status).toBe(400);
    });

    it('a target that is missing or not a directory', async () => {
      await writeFile(join(root, 'file'), '');
      expect(await create({}, { path: join(root, 'missing') })).toEqual({
        status: 404,
        code: 'file_not_found',
      });
      expect((await create({}, { path: join(root, 'file') })).status).toBeGreaterThanOrEqual(400);
      expect(await create({}, { path: 'relative' })).toEqual({ status: 400, code: 'invalid_path' });
    });

    it('to replace an existing file without overwrite, and a directory always', async () => {
      await writeFile(join(root, 'a'), 'old');
      await mkdir(join(root, 'directory'));
      expect(await create({})).toEqual({ status: 409, code: 'already_exists' });
      const directory = { filename: 'directory', overwrite: 'true' };
      expect(await create({}, directory)).toEqual({ status: 409, code: 'not_a_file' });
      expect(await create({}, { overwrite: 'yes' })).toEqual({ status: 422, code: 'validation' });
      expect(parts()).toEqual([]);
    });

    it('to replace a file that has appeared in the meantime', async () => {
      const upload = await begin('a', SMALL.length);
      await writeFile(join(root, 'a'), 'somebody else');
      expect(told(await tus.append(upload, 0, SMALL))).toEqual({ status: 409, code: 'already_exists' });
      expect(content('a').toString()).toBe('somebody else');
    });

    it.each([
      ['another offset', { 'upload-offset': '1' }, 409, 'upload_offset'],
      ['another content type', { 'content-type': 'text/plain' }, 415, 'upload_content_type'],
      ['another version', { 'tus-resumable': '2.0.0' }, 412, 'tus_version'],
    ])('a piece with %s', async (_what, headers, status, code) => {
      const upload = await begin();
      expect(told(await tus.append(upload, 0, SMALL, headers))).toEqual({ status, code });
      expect(await tus.offset(upload)).toBe(0);
    });

    it.each([
      ['known', SMALL.length + 1],
      ['unknown', undefined],
    ])('more bytes than announced, with their number %s', async (_what, length) => {
      const upload = await begin('a', SMALL.length);
      const { token } = gateway().admin;
      const sent = openPatch(gateway().url + upload, { token, offset: 0, ...(length ? { length } : {}) });
      sent.end(Buffer.concat([SMALL, Buffer.from('!')]));
      expect((await sent.answered).statusCode).toBe(413);
    });
  });

  it.each([
    ['at a wrong offset', CONTENT.length, 1, 409],
    ['that is too long', SMALL.length, 0, 413],
    ['of an upload that is not there', undefined, 0, 404],
  ])('answers a client that sends a large piece %s', async (_what, length, offset, status) => {
    const upload = length === undefined ? `${tus.base}/unknown` : await begin('a', length);
    const large = Buffer.alloc(16 * MIB); // more than the buffers of a connection
    expect((await tus.append(upload, offset, large)).status).toBe(status);
    const chunked = patch(upload, offset);
    chunked.end(large);
    expect((await chunked.answered).statusCode).toBe(status);
    expect(bytesOfParts()).toEqual(length === undefined ? [] : [0]);
  });

  it('replaces a file with overwrite, and keeps its mode', async () => {
    await writeFile(join(root, 'a'), 'old', { mode: 0o640 });
    await chown(join(root, 'a'), sshd.uid, sshd.uid);
    const upload = await begin('a', SMALL.length, { overwrite: 'true' });
    const [part = ''] = parts();
    expect((await stat(join(root, part))).mode & 0o077).toBe(0);
    await tus.append(upload, 0, SMALL);
    expect([content('a').equals(SMALL), (await stat(join(root, 'a'))).mode & 0o777]).toEqual([true, 0o640]);
  });

  it('is invisible to other users', async () => {
    const upload = await begin();
    const name = `other-${folders}`;
    const other = await gateway().user({ username: name, allowed_groups: ['lab'] });
    const theirs = tusCaller(other, server.id);
    const answers = [
      await theirs.offset(upload),
      (await theirs.append(upload, 0, SMALL)).code,
      (await theirs.ask('DELETE', upload)).code,
      (await other.call<UploadEntry[]>('GET', tus.base)).body,
    ];
    expect(answers).toEqual(['404', 'upload_not_found', 'upload_not_found', []]);
    expect(await tus.offset(upload)).toBe(0);
  });

  describe('when things change', () => {
    async function change(fields: Partial<Server>, play: (upload: string) => Promise<void>): Promise<void> {
      const upload = await begin();
      const path = `/api/servers/${server.id}`;
      const before = Object.fromEntries(Object.keys(fields).map((key) => [key, Reflect.get(server, key)]));
      await gateway().admin.call('PUT', path, fields);
      await play(upload).finally(() => gateway().admin.call('PUT', path, before));
    }

    it('is refused on a server that has become read-only', async () => {
      await change({ sftp_read_only: true }, async (upload) => {
        const refused = { status: 403, code: 'sftp_read_only' };
        expect(told(await tus.append(upload, 0, SMALL))).toEqual(refused);
        expect(told(await tus.ask('DELETE', upload))).toEqual(refused);
      });
    });

    it('is refused when its directory is no longer allowed', async () => {
      await change({ sftp_allowed_paths: ['/usr'] }, async (upload) => {
        const refused = { status: 403, code: 'path_outside_allowed' };
        expect(told(await tus.append(upload, 0, SMALL))).toEqual(refused);
      });
    });

    it('is refused when its directory leads elsewhere', async () => {
      await ownFolder(join(root, 'here'));
      await ownFolder(join(root, 'there'));
      const upload = await tus.begin({ path: join(root, 'here'), filename: 'a', length: SMALL.length });
      await rename(join(root, 'here'), join(root, 'moved'));
      await symlink('there', join(root, 'here'));
      const refused = { status: 403, code: 'path_outside_allowed' };
      expect(told(await tus.append(upload, 0, SMALL))).toEqual(refused);
      expect(readdirSync(join(root, 'there'))).toEqual([]);
    });

    it('is aborted when its caller loses the right to it', async () => {
      const name = `leaver-${folders}`;
      const leaver = await gateway().user({ username: name, allowed_groups: ['lab'] });
      const upload = await tusCaller(leaver, server.id).begin({ path: root, filename: 'a', length: MIB });
      const sent = openPatch(gateway().url + upload, { token: leaver.token, offset: 0 });
      sent.write(SMALL);
      await eventually(() => expect(content(parts()[0] ?? '').length).toBe(SMALL.length));
      await leaver.call('POST', '/api/auth/logout');
      expect((await sent.answered).statusCode).toBe(409);
      expect(existsSync(join(root, 'a'))).toBe(false);
    });

    it('is gone when its part is gone', async () => {
      const upload = await begin();
      await rename(join(root, parts()[0] ?? ''), join(root, 'taken away'));
      expect(told(await tus.append(upload, 0, SMALL))).toEqual({ status: 404, code: 'upload_not_found' });
      expect(await rowOf(upload)).toBeUndefined();
    });

    it('expires 24 hours after its last byte', async () => {
      const upload = await begin();
      const { db, tables } = gateway().store;
      const expires_at = new Date(Date.now() - 1).toISOString();
      await db
        .update(tables.uploads)
        .set({ expires_at })
        .where(eq(tables.uploads.id, idOf(upload)));
      expect(told(await tus.append(upload, 0, SMALL))).toEqual({ status: 410, code: 'upload_expired' });
      expect(await tus.offset(upload)).toBe('410');
    });

    it('lasts longer with each piece', async () => {
      const upload = await begin();
      const { db, tables } = gateway().store;
      const soon = new Date(Date.now() + 60_000).toISOString();
      await db
        .update(tables.uploads)
        .set({ expires_at: soon })
        .where(eq(tables.uploads.id, idOf(upload)));
      await tus.append(upload, 0, SMALL);
      const left_ms = Date.parse((await rowOf(upload))?.expires_at ?? '') - Date.now();
      expect(Math.round(left_ms / 3_600_000)).toBe(24);
    });
  });

  describe('when it is cut off', () => {
    it('keeps what arrived, and resumes from there', async () => {
      const upload = await begin();
      const sent = patch(upload, 0);
      sent.write(CONTENT.subarray(0, 2 * MIB));
      await tus.beyond(upload, MIB);
      sent.breakOff();
      const stands_at = Number(await tus.offset(upload));
      expect(CONTENT.subarray(0, stands_at).equals(content(parts()[0] ?? ''))).toBe(true);
      await tus.append(upload, stands_at, CONTENT.subarray(stands_at));
      expect(content('a.bin').equals(CONTENT)).toBe(true);
    });

    it('resumes after the host has died', async () => {
      const upload = await begin();
      const sent = patch(upload, 0);
      sent.write(CONTENT.subarray(0, MIB));
      await tus.beyond(upload, MIB / 2);
      await sshd.killSessions();
      sent.write(CONTENT.subarray(MIB, 2 * MIB));
      expect((await sent.answered).statusCode).toBe(502);
      const stands_at = Number(await tus.offset(upload));
      expect(CONTENT.subarray(0, stands_at).equals(content(parts()[0] ?? ''))).toBe(true);
      await tus.append(upload, stands_at, CONTENT.subarray(stands_at));
      expect(content('a.bin').equals(CONTENT)).toBe(true);
    });
  });

  describe('with concurrent requests', () => {
    it('continues with the later one', async () => {
      const upload = await begin();
      const hanging = patch(upload, 0);
      hanging.write(CONTENT.subarray(0, MIB));
      const stands_at = await tus.beyond(upload, MIB - 1);
      const later = await tus.append(upload, stands_at, CONTENT.subarray(stands_at));
      expect((await hanging.answered).statusCode).toBe(423);
      expect(later.status).toBe(204);
      expect(content('a.bin').equals(CONTENT)).toBe(true);
    });

    it('pauses for an offset request, so that the offset stays valid', async () => {
      const upload = await begin();
      const hanging = patch(upload, 0);
      hanging.write(CONTENT.subarray(0, 2 * MIB));
      await tus.beyond(upload, 0);
      const stands_at = Number(await tus.offset(upload));
      const later = await tus.append(upload, stands_at, CONTENT.subarray(stands_at));
      expect(later.status).toBe(204);
      expect((await hanging.answered).statusCode).toBeGreaterThan(400);
      expect(content('a.bin').equals(CONTENT)).toBe(true);
    });

    it('stops for DELETE', async () => {
      const upload = await begin();
      const hanging = patch(upload, 0);
      hanging.write(SMALL);
      await tus.beyond(upload, 0);
      expect((await tus.ask('DELETE', upload)).status).toBe(204);
      expect((await hanging.answered).statusCode).toBe(423);
      expect(parts()).toEqual([]);
    });

    it('writes each byte once, however many requests try', async () => {
      const upload = await begin();
      const answers = await Promise.all(Array.from({ length: 6 }, () => tus.append(upload, 0, CONTENT)));
      const statuses = answers.map(({ status }) => status);
      expect(statuses.every((status) => [204, 404, 409, 423].includes(status))).toBe(true);
      const stands_at = await tus.offset(upload);
      if (typeof stands_at === 'number' && stands_at < CONTENT.length) {
        await tus.append(upload, stands_at, CONTENT.subarray(stands_at));
      }
      expect(content('a.bin').equals(CONTENT)).toBe(true);
    });
  });

  it('has a limit for each user', async () => {
    const { db, tables } = gateway().store;
    const crowd: Actor = await gateway().user({ username: `crowd-${folders}`, allowed_groups: ['lab'] });
    const { body } = await crowd.call<{ id: number }>('GET', '/api/auth/me');
    const at = new Date().toISOString();
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const paths = { part_path: `${root}/.part`, target_path: `${root}/x`, shown_path: `${root}/x` };
    const row = { user_id: body.id, server_id: server.id, ...paths, length: 1, overwrite: false };
    const rows = Array.from({ length: 500 }, (_, i) => ({
      ...row,
      id: `crowd-${folders}-${i}`,
      abandoned: false,
      created_at: at,
      expires_at,
    }));
    await db.insert(tables.uploads).values(rows);
    const headers = { 'upload-length': '5', 'upload-metadata': metadata({ path: root, filename: 'a' }) };
    const refused = await tusCaller(crowd, server.id).ask('POST', tus.base, { headers });
    expect(told(refused)).toEqual({ status: 429, code: 'too_many_uploads' });
    await db.delete(tables.uploads).where(eq(tables.uploads.user_id, body.id));
  });

  it('survives the gateway: another one on the same database continues', async () => {
    const database = await migratedDatabaseUrl(dialect);
    const first = await startGateway({ database_url: database.url });
    const host = await addHost(first);
    const here = tusCaller(first.admin, host.id);
    const upload = await here.begin({ path: root, filename: 'a.bin', length: CONTENT.length });
    await here.append(upload, 0, CONTENT.subarray(0, MIB));
    await first.close();
    const second = await startGateway({ database_url: database.url, untouched: true });
    try {
      const there = tusCaller(second.actor(first.admin.token), host.id);
      expect(await there.offset(upload)).toBe(MIB);
      await there.append(upload, MIB, CONTENT.subarray(MIB));
      expect(content('a.bin').equals(CONTENT)).toBe(true);
    } finally {
      await second.close();
      await database.cleanup();
    }
  });
});

describe('With SERVICE_MAX_UPLOAD_SIZE', () => {
  it('refuses a larger file before anything is sent, and says so', async () => {
    const gateway = await startGateway({ env: { SERVICE_MAX_UPLOAD_SIZE: '1000' } });
    try {
      const server = await addHost(gateway);
      const tus = tusCaller(gateway.admin, server.id);
      const { headers } = await tus.ask('OPTIONS', tus.base);
      expect(headers.get('tus-max-size')).toBe('1000');
      const begin = (length: number) =>
        tus.ask('POST', tus.base, {
          headers: {
            'upload-length': String(length),
            'upload-metadata': metadata({ path: root, filename: `f${length}` }),
          },
        });
      expect(told(await begin(1001))).toEqual({ status: 413, code: 'upload_too_large' });
      expect((await begin(1000)).status).toBe(201);
    } finally {
      await gateway.close();
    }
  });
});
