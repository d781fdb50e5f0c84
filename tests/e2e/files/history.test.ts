import { access, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileHistory } from '#core/model/files/file-history.ts';
import { oldCopyName } from '#core/policy/old-copy.ts';
import { type FileHost, startFileHost } from '../../support/features/file-host.ts';
import type { Actor } from '../../support/gateway/gateway.ts';

let host: FileHost;
let ana: Actor;
let ben: Actor;
beforeAll(async () => {
  host = await startFileHost();
  ana = await host.gateway.user({ username: 'ana', allowed_groups: ['lab'] });
  ben = await host.gateway.user({ username: 'ben', allowed_groups: ['lab'] });
});
afterAll(() => host?.stop());

async function inLab(): Promise<number> {
  const { id } = await host.add('lab', { group: 'lab' });
  return id;
}

const saveAs = (actor: Actor, id: number, path: string, content: string) =>
  host.ask({ verb: 'write', body: { path, content } }, { actor, id });
const historyFor = (actor: Actor, id: number, path: string) =>
  host.ask<FileHistory>({ verb: 'history', query: { path } }, { actor, id });
const restore = (path: string, copy_path: string, options = {}) =>
  host.ask({ verb: 'restore', body: { path, copy_path } }, options);

/** What an interrupted save in place leaves beside a file. */
async function leaveCopy(
  path: string,
  content: string | Uint8Array,
  folder = dirname(path),
): Promise<string> {
  const copy = join(folder, await oldCopyName(path));
  await writeFile(copy, content, { mode: 0o600 });
  await chown(copy, host.sshd.uid, host.sshd.uid);
  return copy;
}

describe('The history of a file', () => {
  it('tells an administrator who changed it, and anybody else only their own changes', async () => {
    const id = await inLab();
    const path = await host.put('shared.txt', 'old');
    await saveAs(ana, id, path, 'of ana');
    await saveAs(ben, id, path, 'longer, of ben');
    const all = await historyFor(host.gateway.admin, id, path);
    expect(all.body.scope).toBe('everybody');
    expect(all.body.entries.map(({ username, action, size }) => [username, action, size])).toEqual([
      ['ben', 'sftp_write', 14],
      ['ana', 'sftp_write', 6],
    ]);
    const own = await historyFor(ana, id, path);
    expect([own.body.scope, own.body.entries.map(({ username }) => username)]).toEqual(['own', ['ana']]);
    expect(JSON.stringify(own.body)).not.toContain('ben');
  });

  it('leaves out files of similar names, and is refused where the file may not be read', async () => {
    const id = await inLab();
    const path = await host.put('one.txt', 'old');
    await saveAs(ana, id, `${path}.bak`, 'x');
    expect((await historyFor(host.gateway.admin, id, path)).body.entries).toEqual([]);
    const confined = await host.add('confined', { group: 'lab', sftp_allowed_paths: [host.at('elsewhere')] });
    const refused = await historyFor(ana, confined.id, path);
    expect(refused).toMatchObject({ status: 403, body: { code: 'path_outside_allowed' } });
    const stranger = await host.gateway.user({ username: 'eve', allowed_groups: [] });
    expect((await historyFor(stranger, id, path)).status).toBe(404);
  });

  it('needs the scope admin of an API key to name others', async () => {
    const id = await inLab();
    const path = await host.put('keyed.txt', 'old');
    await saveAs(ana, id, path, 'of ana');
    const made = await host.gateway.admin.call<{ key: string }>('POST', '/api/auth/api-keys', {
      name: 'files only',
      scopes: ['files'],
    });
    const { body } = await historyFor(host.gateway.actor(made.body.key), id, path);
    expect([body.scope, body.entries]).toEqual(['own', []]);
  });
});

describe('A copy that an interrupted save has left', () => {
  it('is listed for its file alone, whoever made it, and put back', async () => {
    const path = await host.put('torn.bin', 'half');
    const other = await host.put('whole.txt', 'whole');
    const content = new Uint8Array(300_000).map((_, at) => at % 251);
    const copy = await leaveCopy(path, content);
    const { copies } = (await historyFor(host.gateway.admin, host.server.id, path)).body;
    expect(copies.map(({ path: found, size }) => [found, size])).toEqual([[copy, 300_000]]);
    expect((await historyFor(host.gateway.admin, host.server.id, other)).body.copies).toEqual([]);
    expect(await restore(path, copy)).toMatchObject({ status: 200, body: { path, size: 300_000 } });
    expect(Buffer.compare(await readFile(path), content)).toBe(0);
    await expect(access(copy)).rejects.toThrow();
    const [latest] = (await historyFor(host.gateway.admin, host.server.id, path)).body.entries;
    expect(latest).toMatchObject({ action: 'sftp_write', username: 'admin' });
    expect(latest?.detail).toContain(`: restored from ${copy}`);
  });

  it('is found in the login directory too, unless paths are restricted', async () => {
    const path = await host.put('root/app.conf', 'half');
    const copy = await leaveCopy(path, '', host.sshd.home);
    expect((await historyFor(host.gateway.admin, host.server.id, path)).body.copies).toMatchObject([
      { path: copy, size: 0 },
    ]);
    const { id } = await host.add('bound', { sftp_allowed_paths: [host.at('root')] });
    expect((await historyFor(host.gateway.admin, id, path)).body.copies).toEqual([]);
    expect((await restore(path, copy, { id })).status).toBe(404);
    expect((await restore(path, copy)).status).toBe(200);
    expect(await readFile(path, 'utf8')).toBe('');
  });

  it('is the only thing that can be restored, and not on a read-only server', async () => {
    const path = await host.put('kept.txt', 'kept');
    const secret = await host.put('secret.txt', 'secret');
    const copy = await leaveCopy(path, 'before');
    expect((await restore(path, secret)).status).toBe(404);
    await mkdir(host.at('trap'), { recursive: true });
    expect((await restore(path, `${host.at('trap')}/../${copy.split('/').at(-1)}`)).status).toBe(404);
    const { id } = await host.add('museum', { sftp_read_only: true });
    expect(await restore(path, copy, { id })).toMatchObject({
      status: 403,
      body: { code: 'sftp_read_only' },
    });
    expect(await readFile(path, 'utf8')).toBe('kept');
  });
});
