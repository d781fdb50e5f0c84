import { chown, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TextFile } from '#core/model/files/directory-entry.ts';
import { type FileHost, startFileHost } from '../../support/features/file-host.ts';
import { tusCaller } from '../../support/features/tus.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const ROUNDS = 5;

let host: FileHost;
beforeAll(async () => {
  host = await startFileHost();
});
afterAll(() => host?.stop());

it('lets one of two saves with one etag win, even when two records name the same host', async () => {
  const ids = [host.server.id, (await host.add('by name', { hostname: 'localhost' })).id];
  const path = await host.put('notes.txt', 'first');
  for (const id of ids) await host.ask({ verb: 'ls', query: { path: host.at() } }, { id }); // Both are connected.
  for (let round = 0; round < ROUNDS; round += 1) {
    const { body } = await host.ask<TextFile>({ verb: 'read', query: { path } });
    const saves = ids.map((id) => {
      const content = `round ${round} by ${id}`;
      const change = { verb: 'write', body: { path, content } } as const;
      return host.ask(change, { id, headers: { 'if-match': body.etag } });
    });
    const answers = await Promise.all(saves);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const won = ids[answers.findIndex(({ status }) => status === 200)];
    expect(await readFile(path, 'utf8')).toBe(`round ${round} by ${won}`);
  }
});

describe('A drop box that permits neither reading nor renaming nor deleting', () => {
  let box: Sshd;
  let id: number;
  let folder: string;
  beforeAll(async () => {
    const permitted = 'open,close,write,realpath,stat,lstat,fstat,opendir,readdir,readlink,mkdir';
    box = await startSshd({ sftp: `internal-sftp -p ${permitted}` });
    const { port, username, password } = box;
    id = (await host.gateway.addServer({ name: 'drop box', port, username, password })).id;
    folder = join(box.folder, 'in');
    await mkdir(folder);
    await chown(folder, box.uid, box.uid);
  });
  afterAll(() => box?.stop());

  it('takes saves, uploads and resumable uploads, with nothing left beside them', async () => {
    for (const content of ['a longer text', 'text']) {
      const saved = await host.ask({ verb: 'write', body: { path: join(folder, 'saved'), content } }, { id });
      expect([saved.status, await readFile(join(folder, 'saved'), 'utf8')]).toEqual([200, content]);
    }
    const body = new FormData();
    body.append('files', new File(['sent'], 'sent'));
    const query = new URLSearchParams({ path: folder });
    const sent = await host.gateway.admin.fetch(`/api/files/${id}/upload?${query}`, { method: 'POST', body });
    expect([sent.status, await readFile(join(folder, 'sent'), 'utf8')]).toEqual([200, 'sent']);
    const tus = tusCaller(host.gateway.admin, id);
    const upload = await tus.begin({ path: folder, filename: 'in steps', length: 6 });
    expect((await tus.append(upload, 0, Buffer.from('one'))).status).toBe(204);
    expect((await tus.append(upload, 3, Buffer.from('two'))).status).toBe(204);
    expect(await readFile(join(folder, 'in steps'), 'utf8')).toBe('onetwo');
    expect((await readdir(folder)).sort()).toEqual(['in steps', 'saved', 'sent']);
  });

  it('creates the target of a dangling link for a resumable upload', async () => {
    await symlink('there', join(folder, 'link'));
    const tus = tusCaller(host.gateway.admin, id);
    const upload = await tus.begin({ path: folder, filename: 'link', length: 3, overwrite: 'true' });
    expect((await tus.append(upload, 0, Buffer.from('new'))).status).toBe(204);
    expect(await readFile(join(folder, 'there'), 'utf8')).toBe('new');
  });

  it('has its refusals named, before anything is sent', async () => {
    const path = join(folder, 'kept');
    await writeFile(path, 'kept');
    const query = new URLSearchParams({ path });
    const download = await host.gateway.admin.fetch(`/api/files/${id}/download?${query}`);
    expect([download.status, (await download.json()).code]).toEqual([403, 'permission_denied']);
    const body = { old_path: path, new_path: `${path}-2` };
    const renamed = await host.ask({ verb: 'rename', body }, { id });
    expect(renamed).toMatchObject({ status: 403, body: { detail: 'The host permits no renaming' } });
    const removed = await host.ask({ verb: 'delete', query: { path } }, { id });
    expect(removed).toMatchObject({ status: 403, body: { detail: 'The host permits no deleting' } });
  });
});
