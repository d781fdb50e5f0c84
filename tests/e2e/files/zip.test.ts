import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ZipInput } from '#core/model/files/file-change.ts';
import { type FileHost, startFileHost } from '../../support/features/file-host.ts';
import type { Actor } from '../../support/gateway/gateway.ts';
import { startSshd } from '../../support/hosts/sshd.ts';

const run = promisify(execFile);
const BLOB = randomBytes(300_000);

let host: FileHost;
let root: string;
let count = 0;

beforeAll(async () => {
  host = await startFileHost();
});
afterAll(() => host?.stop());
beforeEach(async () => {
  count += 1;
  root = await host.make(`case-${count}`);
});

const at = (...names: string[]) => join(root, ...names);
const put = (name: string, content: string | Uint8Array = name) => host.put(`case-${count}/${name}`, content);
const link = (name: string, target: string) => host.link(`case-${count}/${name}`, target);

const zipUrl = (query: Record<string, string>, id = host.server.id) =>
  `/api/files/${id}/download-zip?${new URLSearchParams(query)}`;
const getZip = (path: string, actor: Actor = host.gateway.admin) => actor.fetch(zipUrl({ path }));
const postZip = (input: ZipInput, actor: Actor = host.gateway.admin) =>
  actor.fetch(zipUrl({}), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });

// Python checks each CRC; `unzip -t` reads the archive by its central directory.
const LIST = `
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(json.dumps({ member.filename: archive.read(member).decode('latin1') for member in archive.infolist() }))`;

/** The members with their contents, one character per byte. */
async function membersOf(response: Response): Promise<Record<string, string>> {
  expect(response.status).toBe(200);
  const path = join(host.sshd.home, '..', `archive-${process.pid}-${count}.zip`);
  await writeFile(path, new Uint8Array(await response.arrayBuffer()));
  await run('unzip', ['-t', path]);
  const { stdout } = await run('python3', ['-c', LIST, path], { maxBuffer: 64 * 1024 * 1024 });
  await run('rm', [path]);
  return JSON.parse(stdout);
}

const filesOf = (members: Record<string, string>) =>
  Object.keys(members)
    .filter((name) => !name.endsWith('/'))
    .sort();

async function refusalOf(response: Response): Promise<string> {
  return `${response.status} ${(await response.json()).code}`;
}

describe('A ZIP archive', () => {
  it('of a directory contains its contents, nested, hidden and empty, and is named after it', async () => {
    await put('docs/a.txt');
    await put('docs/deep/er/b.bin', BLOB);
    await put('docs/.hidden', '');
    await host.make(`case-${count}/docs/empty`);
    const response = await getZip(at('docs'));
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="docs.zip"; filename*=UTF-8''docs.zip`,
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const members = await membersOf(response);
    expect(filesOf(members)).toEqual(['.hidden', 'a.txt', 'deep/er/b.bin']);
    expect(members['deep/er/b.bin']).toBe(BLOB.toString('latin1'));
    expect(members).toHaveProperty(['empty/']);
  });

  it('of several paths contains them by name, or relative to `base_path`', async () => {
    await put('one/a');
    await put('two/b');
    await put('two/c');
    const paths = [at('one'), at('two', 'b')];
    const plain = await postZip({ paths });
    expect(filesOf(await membersOf(plain))).toEqual(['b', 'one/a']);
    const based = await postZip({ paths, base_path: root });
    expect(based.headers.get('content-disposition')).toContain(`filename="case-${count}.zip"`);
    expect(filesOf(await membersOf(based))).toEqual(['one/a', 'two/b']);
  });

  it('of one file contains only that file', async () => {
    await put('single.txt');
    expect(filesOf(await membersOf(await getZip(at('single.txt'))))).toEqual(['single.txt']);
  });

  it('follows no link, whether it leads outside or forms a cycle', async () => {
    await put('d/file');
    await link('d/out', '/etc');
    await link('d/up', '..');
    await link('d/to-file', 'file');
    expect(filesOf(await membersOf(await getZip(at('d'))))).toContain('file');
    const names = filesOf(await membersOf(await getZip(at('d'))));
    expect(names.filter((name) => !['file', '_skipped.txt'].includes(name))).toEqual([]);
  });

  it('lists what could not be read in `_skipped.txt`', async () => {
    await put('d/good');
    const locked = await put('d/locked');
    await put('d/closed/inner');
    await chmod(locked, 0);
    await chmod(at('d', 'closed'), 0);
    await run('mkfifo', [at('d', 'pipe')]);
    const members = await membersOf(await getZip(at('d')));
    expect(filesOf(members)).toEqual(['_skipped.txt', 'good']);
    for (const name of ['locked', 'closed', 'pipe']) expect(members['_skipped.txt']).toContain(name);
  });

  it.each([
    ['before', ['broken', 'good']],
    ['behind', ['good', 'broken']],
  ])(
    'lists a broken link %s something else as skipped, and is refused for it alone',
    async (_where, names) => {
      await put('good');
      await link('broken', 'nowhere');
      const members = await membersOf(await postZip({ paths: names.map((name) => at(name)) }));
      expect(filesOf(members)).toEqual(['_skipped.txt', 'good']);
      expect(members['_skipped.txt']).toContain('broken');
      expect(await refusalOf(await postZip({ paths: [at('broken')] }))).toBe('404 file_not_found');
    },
  );

  it('lists uploads in progress as skipped', async () => {
    await put('d/file');
    await put('d/.sallyport-abcdefghijkl.part');
    const members = await membersOf(await getZip(at('d')));
    expect(filesOf(members)).toEqual(['_skipped.txt', 'file']);
    expect(members['_skipped.txt']).toContain('.sallyport-abcdefghijkl.part');
  });

  it('contains no name that leads outside where it is unpacked', async () => {
    for (const name of ['a\\..\\..\\b', 'C:evil', 'new\nline', '..hidden', 'grüße 🐎'])
      await put(`d/${name}`);
    const names = filesOf(await membersOf(await getZip(at('d'))));
    expect(names).toHaveLength(5);
    expect(names).toContain('grüße 🐎');
    for (const name of names) expect(name).not.toMatch(/\\|^[A-Za-z]:|^\/|(^|\/)\.\.(\/|$)/);
  });

  it('answers HEAD with headers only', async () => {
    await put('d/file');
    const response = await host.gateway.admin.fetch(zipUrl({ path: at('d') }), { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(response.headers.get('content-disposition')).toContain('d.zip');
  });

  it('refuses HEAD as it refuses GET', async () => {
    const stranger = await host.gateway.user({ username: `stranger-${count}`, allowed_groups: [] });
    const asked: [Actor, string][] = [
      [host.gateway.admin, '/no/such/place'],
      [host.gateway.admin, 'etc'],
      [stranger, root],
    ];
    for (const verb of ['download-zip', 'download'])
      for (const [actor, path] of asked) {
        const url = `/api/files/${host.server.id}/${verb}?${new URLSearchParams({ path })}`;
        const { status } = await actor.fetch(url);
        expect(status).toBeGreaterThanOrEqual(400);
        expect((await actor.fetch(url, { method: 'HEAD' })).status).toBe(status);
      }
  });

  it.each([
    ['missing', '/no/such/place', '404 file_not_found'],
    ['relative', 'etc', '400 invalid_path'],
  ])('of a path that is %s is refused', async (_what, path, expected) => {
    expect(await refusalOf(await getZip(path))).toBe(expected);
    expect(await refusalOf(await postZip({ paths: ['/', path] }))).toBe(expected);
  });

  it('needs a path, and paths below its `base_path`', async () => {
    expect(await refusalOf(await host.gateway.admin.fetch(zipUrl({})))).toBe('422 validation');
    expect(await refusalOf(await postZip({ paths: [] }))).toBe('422 validation');
    expect(await refusalOf(await postZip({ paths: [root], base_path: '/etc' }))).toBe('400 invalid_path');
  });

  it('breaks off when the host dies, and never looks complete', async () => {
    const dying = await startSshd();
    const { port, username, password } = dying;
    const { id } = await host.gateway.addServer({ name: 'dying', port, username, password });
    await put('d/first');
    await truncate(await put('d/large'), 4 * 1024 ** 3);
    const response = await host.gateway.admin.fetch(zipUrl({ path: at('d') }, id));
    const reader = response.body?.getReader();
    await reader?.read();
    await dying.killSessions();
    const reading = (async () => {
      while (!(await reader?.read())?.done);
    })();
    await expect(reading).rejects.toThrow();
    await dying.stop();
  });

  it('stops when its reader disconnects, and releases the host', async () => {
    await put('d/first');
    await truncate(await put('d/large'), 4 * 1024 ** 3);
    for (let time = 0; time < 12; time += 1) {
      const going = new AbortController();
      const response = await host.gateway.admin.fetch(zipUrl({ path: at('d') }), { signal: going.signal });
      await response.body?.getReader().read();
      going.abort();
    }
    expect((await host.ask({ verb: 'ls', query: { path: root } })).status).toBe(200);
  });
});

describe('The path rules of an archive', () => {
  it('apply to each of its paths, and to its root', async () => {
    const jail = await host.make(`case-${count}/jail`);
    await put('jail/file');
    await put('outside/secret');
    await link('jail/escape', '../outside');
    const { id } = await host.add(`jail-${count}`, { sftp_allowed_paths: [jail] });
    const ask = (paths: string[]) =>
      host.gateway.admin.fetch(zipUrl({}, id), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ paths }),
      });
    for (const path of [at('outside'), join(jail, 'escape'), root, '/', join(jail, '..', 'outside')]) {
      expect([path, await refusalOf(await ask([jail, path]))]).toEqual([path, '403 path_outside_allowed']);
    }
    const names = filesOf(await membersOf(await ask([jail])));
    expect(names).toContain('file');
    expect(names.some((name) => name.includes('secret'))).toBe(false);
  });
});

describe('A ticket for an archive', () => {
  const ticketFor = async (wanted: object, actor: Actor = host.gateway.admin) => {
    const path = `/api/files/${host.server.id}/ticket`;
    return (await actor.call<{ ticket: string }>('POST', path, wanted)).body.ticket;
  };
  const withTicket = (query: Record<string, string>, id?: number) =>
    host.gateway.anonymous.fetch(zipUrl(query, id));

  it('of one path downloads that path, and nothing else', async () => {
    await put('d/file');
    const ticket = await ticketFor({ path: at('d') });
    expect(filesOf(await membersOf(await withTicket({ path: at('d'), ticket })))).toEqual(['file']);
    expect((await withTicket({ path: root, ticket })).status).toBe(401);
    const twin = await host.add('twin', {});
    expect((await withTicket({ path: at('d'), ticket }, twin.id)).status).toBe(401);
  });

  it('of several paths needs none in the query', async () => {
    await put('d/file');
    await put('other');
    const ticket = await ticketFor({ paths: [at('d'), at('other')], base_path: root });
    const response = await withTicket({ ticket });
    expect(filesOf(await membersOf(response))).toEqual(['d/file', 'other']);
    const download = `/api/files/${host.server.id}/download?${new URLSearchParams({ path: at('other'), ticket })}`;
    expect((await host.gateway.anonymous.fetch(download)).status).toBe(401);
  });

  it('is worthless once its session has ended', async () => {
    const user = await host.gateway.user({ username: `ticketed-${count}`, allowed_groups: ['lab'] });
    const ticket = await ticketFor({ paths: [root] }, user);
    await user.call('POST', '/api/auth/logout');
    expect((await withTicket({ ticket })).status).toBe(401);
  });

  it('is not required of a simple client, which may send its token', async () => {
    await put('d/file');
    const response = await withTicket({ path: at('d'), token: host.gateway.admin.token });
    expect(filesOf(await membersOf(response))).toEqual(['file']);
  });
});

describe('An archive in the audit log', () => {
  it('is recorded with its paths', async () => {
    await put('d/file');
    await (await getZip(at('d'))).arrayBuffer();
    const { body } = await host.gateway.admin.call<{ detail: string }[]>(
      'GET',
      `/api/auth/audit?action=sftp_zip&search=${encodeURIComponent(at('d'))}`,
    );
    expect(body.map(({ detail }) => detail)).toEqual([`box (#${host.server.id}): ${at('d')}`]);
  });
});
