import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DirectoryEntry, Listing } from '#core/model/files/directory-entry.ts';
import { auditRows } from '../../support/features/audit.ts';
import { type Change, type FileHost, startFileHost } from '../../support/features/file-host.ts';
import { tusCaller } from '../../support/features/tus.ts';

let host: FileHost;
/** Another directory for each test. */
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

/** The path on the host, with one character per byte. */
const at = (name: string) => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')]);
const inBytes = (escaped: string) => `bytes:${root}/${escaped}`;
const names = (below = '') => readdirSync(at(below), 'latin1').sort();

function put(name: string, content = name): void {
  writeFileSync(at(name), content);
  chownSync(at(name), host.sshd.uid, host.sshd.uid);
}
function make(name: string): void {
  mkdirSync(at(name));
  chownSync(at(name), host.sshd.uid, host.sshd.uid);
}

/** The code of a refusal, or what it answered. */
async function outcome(change: Change, id = host.server.id): Promise<unknown> {
  const { body } = await host.ask(change, { id });
  return body['code'] ?? body;
}
const ls = async (path: string) => (await host.ask<Listing>({ verb: 'ls', query: { path } })).body;
const get = (verb: string, path: string, id = host.server.id) =>
  host.gateway.admin.fetch(`/api/files/${id}/${verb}?${new URLSearchParams({ path })}`);
const remove = (path: string): Change => ({ verb: 'delete', query: { path } });

describe('A name that is not UTF-8', () => {
  it('is listed readably, with a path that addresses it and no other', async () => {
    for (const name of ['caf\xe9', 'caf\xe8', 'caf%E9', 'caf\xef\xbf\xbd']) put(name);
    symlinkSync(Buffer.from('caf\xe9', 'latin1'), at('link'));
    const { entries } = await ls(root);
    expect(entries.map(({ name, path, link_target }) => [name, path, link_target])).toEqual(
      expect.arrayContaining([
        ['caf\ufffd', inBytes('caf%E9'), null],
        ['caf\ufffd', inBytes('caf%E8'), null],
        ['caf\ufffd', `${root}/caf\ufffd`, null],
        ['caf%E9', `${root}/caf%E9`, null],
        ['link', `${root}/link`, 'caf\ufffd'],
      ]),
    );
    const files = entries.filter(({ is_symlink }) => !is_symlink);
    const contents = files.map(async ({ path }) => [path, await (await get('download', path)).text()]);
    expect(Object.fromEntries(await Promise.all(contents))).toEqual({
      [inBytes('caf%E9')]: 'caf\xe9',
      [inBytes('caf%E8')]: 'caf\xe8',
      [`${root}/caf\ufffd`]: 'caf\xef\xbf\xbd',
      [`${root}/caf%E9`]: 'caf%E9',
    });
  });

  it('is downloaded under a name with escapes', async () => {
    put('caf\xe9.txt', 'coffee');
    const response = await get('download', inBytes('caf%E9.txt'));
    expect(await response.text()).toBe('coffee');
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="caf_E9.txt"; filename*=UTF-8''caf%25E9.txt`,
    );
  });

  it('is renamed from, to and within, and nothing else is', async () => {
    for (const name of ['caf\xe9', 'caf\xe8']) put(name);
    make('d\xff');
    const rename = (old_path: string, new_path: string) =>
      outcome({ verb: 'rename', body: { old_path, new_path } });
    expect(await rename(inBytes('caf%e9'), `${root}/plain`)).toMatchObject({ old_path: inBytes('caf%E9') });
    expect(await rename(`${root}/plain`, inBytes('d%FF/%FE'))).toMatchObject({ status: 'renamed' });
    expect(await rename(inBytes('caf%E8'), inBytes('d%FF/%FE'))).toBe('already_exists');
    expect([names(), names('d\xff')]).toEqual([['caf\xe8', 'd\xff'], ['\xfe']]);
  });

  it('is described, changed, edited and found', async () => {
    put('caf\xe9');
    const path = inBytes('caf%E9');
    expect(await outcome({ verb: 'chmod', body: { path, mode: '600' } })).toMatchObject({ path });
    expect(statSync(at('caf\xe9')).mode & 0o777).toBe(0o600);
    const found = (await outcome({ verb: 'stat', query: { path } })) as DirectoryEntry;
    expect(found).toMatchObject({ name: 'caf\ufffd', path, permissions: '-rw-------', addressable: true });
    expect(await outcome({ verb: 'write', body: { path, content: 'new' } })).toMatchObject({ path });
    expect(await outcome({ verb: 'read', query: { path } })).toMatchObject({ path, content: 'new' });
    expect(names()).toEqual(['caf\xe9']);
    expect(await outcome({ verb: 'search', query: { path: root, q: 'CAF' } })).toMatchObject({
      entries: [{ name: 'caf\ufffd', path }],
    });
  });

  it('is deleted, alone and with the directory around it', async () => {
    for (const name of ['tree', 'tree/\xff', 'tree/\xff/ü']) make(name);
    for (const name of ['caf\xe9', 'caf\xe8', 'tree/fine', 'tree/\xff/\xfe']) put(name);
    expect(await outcome(remove(inBytes('caf%E9')))).toMatchObject({ status: 'deleted' });
    expect(names()).toEqual(['caf\xe8', 'tree']);
    expect(await outcome(remove(`${root}/tree`))).toMatchObject({ status: 'deleted' });
    expect(names()).toEqual(['caf\xe8']);
  });

  it('is refused where it is shown instead of addressed, and nothing happens', async () => {
    put('caf\xe9');
    expect(await outcome(remove(`${root}/caf\ufffd`))).toBe('file_not_found');
    expect(await outcome({ verb: 'read', query: { path: `${root}/caf\ufffd` } })).toBe('unaddressable_name');
    for (const path of ['bytes:x', 'bytes:/%2F', 'bytes:/%00', 'bytes:/%', '/\udce9']) {
      expect(await outcome({ verb: 'mkdir', body: { path } })).toBe('invalid_path');
    }
    expect(names()).toEqual(['caf\xe9']);
  });

  it('has escapes in the audit log', async () => {
    put('caf\xe9');
    await outcome(remove(inBytes('caf%E9')));
    const details = (await auditRows(host.gateway.store)).map(({ detail }) => detail);
    expect(details).toContain(`${host.server.name} (#${host.server.id}): ${inBytes('caf%E9')}`);
  });
});

describe('A directory whose name is not UTF-8', () => {
  it('is listed, with paths for what is in it', async () => {
    make('d\xff');
    for (const name of ['a b%', '\xfe']) put(`d\xff/${name}`);
    const { path, entries } = await ls(inBytes('d%ff/.'));
    expect([path, entries.map((entry) => entry.path).sort()]).toEqual([
      inBytes('d%FF'),
      [inBytes('d%FF/%FE'), inBytes('d%FF/a%20b%25')],
    ]);
    expect((await ls(inBytes('d%FF/..'))).path).toBe(root);
  });

  it('takes directories, forms and uploads that resume', async () => {
    make('d\xff');
    const path = inBytes('d%FF');
    expect(await outcome({ verb: 'mkdir', body: { path: `${path}/%FE/ü`, parents: true } })).toMatchObject({
      path: `${path}/%FE/%C3%BC`,
    });
    const form = new FormData();
    form.append('files', new File(['x'], '100%'));
    const query = new URLSearchParams({ path });
    const url = `/api/files/${host.server.id}/upload?${query}`;
    const sent = await host.gateway.admin.fetch(url, { method: 'POST', body: form });
    expect(await sent.json()).toEqual({ uploaded: [`${path}/100%25`], count: 1 });
    const tus = tusCaller(host.gateway.admin, host.server.id);
    const upload = await tus.begin({ path, filename: 'resumed', length: 4 });
    expect((await tus.append(upload, 0, Buffer.from('four'))).status).toBe(204);
    expect(names('d\xff')).toEqual(['100%', 'resumed', '\xfe']);
  });

  it('is archived with everything in it', async () => {
    make('d\xff');
    put('d\xff/\xfe', 'content');
    const response = await get('download-zip', inBytes('d%FF'));
    expect(response.headers.get('content-disposition')).toContain(`filename*=UTF-8''d%25FF.zip`);
    const bytes = Buffer.from(await response.arrayBuffer()).toString('latin1');
    expect(bytes).toContain('%FE');
    expect(bytes).not.toContain('_skipped.txt');
  });

  it('is copied with its names', async () => {
    for (const name of ['d\xff', 'd\xff/e\xff', 'd\xff/e\xff/f']) make(name);
    put('d\xff/\xfe', 'content');
    put('d\xff/e\xff/f/\xfe', 'below');
    await host.make(`case-${count}/into`);
    const body = {
      source_path: inBytes('d%FF'),
      target_server_id: host.server.id,
      target_path: `${root}/into`,
    };
    expect(await outcome({ verb: 'copy-to', body })).toMatchObject({
      path: inBytes('into/d%FF'),
      files: 2,
      skipped_count: 0,
    });
    expect(readFileSync(at('into/d\xff/\xfe'), 'latin1')).toBe('content');
    expect(readFileSync(at('into/d\xff/e\xff/f/\xfe'), 'latin1')).toBe('below');
  });

  it('can be the only allowed one, and no look-alike is', async () => {
    const dirs = ['d\xff', 'd\xfe', 'd\xef\xbf\xbd', 'd\xff\xff', 'd%FF', 'd'];
    for (const name of dirs) make(name);
    for (const name of dirs) put(`${name}/file`, name);
    symlinkSync(Buffer.from('../d\xff/file', 'latin1'), at('d\xef\xbf\xbd/link'));
    symlinkSync(Buffer.from('../d\xff', 'latin1'), at('d%FF/link'));
    const allow = (path: string) => host.add(`only-${count}-${path.length}`, { sftp_allowed_paths: [path] });
    const reads = (id: number, path: string) => outcome({ verb: 'read', query: { path } }, id);
    const only = await allow(inBytes('d%FF'));
    expect(await reads(only.id, inBytes('d%FF/file'))).toMatchObject({ content: 'd\xff' });
    expect(await reads(only.id, `${root}/d%FF/link/file`)).toMatchObject({ content: 'd\xff' });
    for (const name of ['d%FE', 'd%EF%BF%BD', 'd%FF%FF', 'd%25FF', 'd', 'd%FF/../d%FE']) {
      expect(await reads(only.id, inBytes(`${name}/file`))).toBe('path_outside_allowed');
    }
    const shown = await allow(`${root}/d\ufffd`);
    expect(await reads(shown.id, `${root}/d\ufffd/file`)).toMatchObject({ content: 'd\xef\xbf\xbd' });
    expect(await reads(shown.id, `${root}/d\ufffd/link`)).toBe('path_outside_allowed');
    expect(await reads(shown.id, inBytes('d%FF/file'))).toBe('path_outside_allowed');
    const renamed = { old_path: inBytes('d%FF'), new_path: inBytes('d%FF/x') };
    expect(await outcome({ verb: 'rename', body: renamed }, only.id)).not.toMatchObject({
      status: 'renamed',
    });
  });

  it.each(['bytes:srv', 'bytes:/%zz', 'bytes:/%2F'])('is not allowed as %s', async (path) => {
    const { port, username, password } = host.sshd;
    const body = {
      name: 'wrong',
      hostname: '127.0.0.1',
      port,
      username,
      password,
      sftp_allowed_paths: [path],
    };
    expect((await host.gateway.admin.call('POST', '/api/servers', body)).status).toBe(422);
  });
});
