import { access, chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OldCopies } from '#core/model/files/old-copy.ts';
import { oldCopyName } from '#core/policy/old-copy.ts';
import { type FileHost, startFileHost } from '../../support/features/file-host.ts';
import type { Actor } from '../../support/gateway/gateway.ts';

let host: FileHost;
beforeAll(async () => {
  host = await startFileHost();
});
afterAll(() => host?.stop());

const copiesFor = (actor: Actor, id: number, path: string) =>
  host.ask<OldCopies>({ verb: 'old-copies', query: { path } }, { actor, id });
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

describe('A copy that an interrupted save has left', () => {
  it('is listed for its file alone, whoever made it, and put back', async () => {
    const path = await host.put('torn.bin', 'half');
    const other = await host.put('whole.txt', 'whole');
    const content = new Uint8Array(300_000).map((_, at) => at % 251);
    const copy = await leaveCopy(path, content);
    const { copies } = (await copiesFor(host.gateway.admin, host.server.id, path)).body;
    expect(copies.map(({ path: found, size }) => [found, size])).toEqual([[copy, 300_000]]);
    expect((await copiesFor(host.gateway.admin, host.server.id, other)).body.copies).toEqual([]);
    expect(await restore(path, copy)).toMatchObject({ status: 200, body: { path, size: 300_000 } });
    expect(Buffer.compare(await readFile(path), content)).toBe(0);
    await expect(access(copy)).rejects.toThrow();
    const log = await host.gateway.admin.call<{ detail: string }[]>(
      'GET',
      '/api/auth/audit?action=sftp_write',
    );
    expect(log.body[0]?.detail).toContain(`${path}: restored from ${copy}`);
  });

  it('is found in the login directory too, unless paths are restricted', async () => {
    const path = await host.put('root/app.conf', 'half');
    const copy = await leaveCopy(path, '', host.sshd.home);
    expect((await copiesFor(host.gateway.admin, host.server.id, path)).body.copies).toMatchObject([
      { path: copy, size: 0 },
    ]);
    const { id } = await host.add('bound', { sftp_allowed_paths: [host.at('root')] });
    expect((await copiesFor(host.gateway.admin, id, path)).body.copies).toEqual([]);
    expect((await restore(path, copy, { id })).status).toBe(404);
    expect((await restore(path, copy)).status).toBe(200);
    expect(await readFile(path, 'utf8')).toBe('');
  });

  it('is not believed when somebody else made it, or others may write it', async () => {
    const path = await host.put('believed.txt', 'good');
    const [foreign, open] = [await leaveCopy(path, 'planted'), await leaveCopy(path, 'planted')];
    await chown(foreign, host.sshd.uid + 1, host.sshd.uid);
    await chmod(open, 0o666);
    expect((await copiesFor(host.gateway.admin, host.server.id, path)).body.copies).toEqual([]);
    expect((await restore(path, open)).status).toBe(404);
    expect(await readFile(path, 'utf8')).toBe('good');
  });

  it('is listed only to those who may read the file', async () => {
    const path = await host.put('hidden.txt', 'half');
    await leaveCopy(path, 'before');
    const confined = await host.add('confined', { group: 'lab', sftp_allowed_paths: [host.at('elsewhere')] });
    expect(await copiesFor(host.gateway.admin, confined.id, path)).toMatchObject({
      status: 403,
      body: { code: 'path_outside_allowed' },
    });
    const stranger = await host.gateway.user({ username: 'eve', allowed_groups: [] });
    expect((await copiesFor(stranger, host.server.id, path)).status).toBe(404);
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
