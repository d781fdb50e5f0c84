import { chmod, lstat, mkdir, readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Found } from '#core/model/files/file-change.ts';
import {
  type AskOptions,
  type Change,
  type FileHost,
  startFileHost,
} from '../../support/features/file-host.ts';

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

const at = (...names: string[]) => join(root, ...names);
const put = (name: string, content = 'x', mode?: number) => host.put(`case-${count}/${name}`, content, mode);
const make = (name: string) => host.make(`case-${count}/${name}`);
const link = (name: string, target: string) => host.link(`case-${count}/${name}`, target);
const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );
const modeOf = async (path: string) => (await lstat(path)).mode & 0o7777;

/** The status, and the code of a refusal. */
async function outcome(change: Change, options?: AskOptions): Promise<string> {
  const { status, body } = await host.ask(change, options);
  return 'code' in body ? `${status} ${body['code']}` : String(status);
}

const mkdirAt = (path: string, more: object = {}): Change => ({ verb: 'mkdir', body: { path, ...more } });
const rename = (old_path: string, new_path: string, more: object = {}): Change => ({
  verb: 'rename',
  body: { old_path, new_path, ...more },
});
const remove = (path: string): Change => ({ verb: 'delete', query: { path } });
const chmodTo = (path: string, mode: string, more: object = {}): Change => ({
  verb: 'chmod',
  body: { path, mode, ...more },
});

describe('mkdir', () => {
  it('creates a directory', async () => {
    const { status, body } = await host.ask(mkdirAt(`${root}/x/../made/`));
    expect({ status, body }).toEqual({ status: 200, body: { path: at('made'), status: 'created' } });
    expect((await stat(at('made'))).isDirectory()).toBe(true);
  });

  it('refuses an existing path, and a path whose parent is missing', async () => {
    await put('file');
    await make('place');
    for (const name of ['file', 'place']) expect(await outcome(mkdirAt(at(name)))).toBe('409 already_exists');
    expect(await outcome(mkdirAt(at('no', 'such')))).toBe('404 file_not_found');
  });

  it('creates missing parents with `parents`, and accepts an existing directory', async () => {
    expect(await outcome(mkdirAt(at('a', 'b', 'c'), { parents: true }))).toBe('200');
    expect(await outcome(mkdirAt(at('a', 'b', 'c'), { parents: true }))).toBe('200');
    expect((await stat(at('a', 'b', 'c'))).isDirectory()).toBe(true);
    await put('file');
    expect(await outcome(mkdirAt(at('file'), { parents: true }))).toBe('409 already_exists');
  });

  it('creates a directory once for concurrent requests', async () => {
    const all = Array.from({ length: 6 }, () => outcome(mkdirAt(at('p', 'q', 'r'), { parents: true })));
    expect(new Set(await Promise.all(all))).toEqual(new Set(['200']));
  });
});

describe('rename', () => {
  it('renames and moves files and directories', async () => {
    await put('old/inner', 'kept');
    await make('place');
    const { status, body } = await host.ask(rename(at('old'), at('place', 'new')));
    expect({ status, body }).toEqual({
      status: 200,
      body: { old_path: at('old'), new_path: at('place', 'new'), status: 'renamed' },
    });
    expect(await readFile(at('place', 'new', 'inner'), 'utf8')).toBe('kept');
    expect(await exists(at('old'))).toBe(false);
  });

  it('replaces an existing target only with `overwrite`', async () => {
    await put('a', 'new');
    await put('b', 'old');
    expect(await outcome(rename(at('a'), at('b')))).toBe('409 already_exists');
    expect(await readFile(at('b'), 'utf8')).toBe('old');
    expect(await outcome(rename(at('a'), at('b'), { overwrite: true }))).toBe('200');
    expect(await readFile(at('b'), 'utf8')).toBe('new');
  });

  it('never replaces a non-empty directory', async () => {
    await put('a/x');
    await put('b/y');
    expect(await outcome(rename(at('a'), at('b'), { overwrite: true }))).toMatch(/^409 /);
    expect(await exists(at('b', 'y'))).toBe(true);
  });

  it('moves a link itself', async () => {
    await put('target');
    await link('link', 'target');
    expect(await outcome(rename(at('link'), at('moved')))).toBe('200');
    expect(await readlink(at('moved'))).toBe('target');
    expect(await exists(at('target'))).toBe(true);
  });

  it('replaces a link itself, never its target', async () => {
    await put('target', 'kept');
    await link('link', 'target');
    await put('new', 'new');
    expect(await outcome(rename(at('new'), at('link'), { overwrite: true }))).toBe('200');
    expect(await readFile(at('target'), 'utf8')).toBe('kept');
    expect((await lstat(at('link'))).isFile()).toBe(true);
  });

  it('refuses a missing source, and moving a directory into itself', async () => {
    await make('place');
    expect(await outcome(rename(at('none'), at('new')))).toBe('404 file_not_found');
    expect(await outcome(rename(at('place'), at('no', 'such')))).toBe('404 file_not_found');
    expect(await outcome(rename(at('place'), at('place', 'inner')))).toBe('409 into_itself');
  });
});

describe('delete', () => {
  it('deletes a file', async () => {
    await put('file');
    const { status, body } = await host.ask(remove(at('file')));
    expect({ status, body }).toEqual({ status: 200, body: { path: at('file'), status: 'deleted' } });
    expect(await exists(at('file'))).toBe(false);
    expect(await outcome(remove(at('file')))).toBe('404 file_not_found');
  });

  it('deletes a directory with its contents, hidden and nested', async () => {
    for (const name of ['d/a', 'd/.hidden', 'd/e/f/g', 'd/-rf', 'd/new\nline', 'd/"quoted"']) await put(name);
    await make('d/empty');
    expect(await outcome(remove(at('d')))).toBe('200');
    expect(await readdir(root)).toEqual([]);
  });

  it('deletes links themselves, never their targets', async () => {
    await put('outside/kept');
    await put('d/file');
    await link('d/to-directory', at('outside'));
    await link('d/to-file', at('outside', 'kept'));
    await link('d/dangling', 'nowhere');
    await link('alone', at('outside'));
    expect(await outcome(remove(at('alone')))).toBe('200');
    expect(await outcome(remove(at('d')))).toBe('200');
    expect(await readdir(root)).toEqual(['outside']);
    expect(await readdir(at('outside'))).toEqual(['kept']);
  });

  it('never deletes the root or what the account may not', async () => {
    expect(await outcome(remove('/'))).toBe('403 path_outside_allowed');
    expect(await outcome(remove('/etc/hostname'))).toBe('403 permission_denied');
    await put('locked/file');
    await chmod(at('locked'), 0o555);
    expect(await outcome(remove(at('locked')))).toBe('403 permission_denied');
    expect(await exists(at('locked', 'file'))).toBe(true);
  });
});

describe('chmod', () => {
  it.each([
    ['600', 0o600],
    ['0755', 0o755],
    ['1777', 0o1777],
    ['000', 0],
  ])('sets %s', async (mode, expected) => {
    await put('file');
    const { status, body } = await host.ask(chmodTo(at('file'), mode));
    expect({ status, body }).toEqual({ status: 200, body: { path: at('file'), mode, status: 'changed' } });
    expect(await modeOf(at('file'))).toBe(expected);
  });

  it.each(['', '7', '77', '888', '75a', '07777', '-644', '0o644', 'u+x', '644 ', '６４４'])(
    'refuses %j as a mode',
    async (mode) => {
      await put('file', 'x', 0o640);
      expect(await outcome(chmodTo(at('file'), mode))).toBe('400 invalid_mode');
      expect(await modeOf(at('file'))).toBe(0o640);
    },
  );

  it('changes the target of a link', async () => {
    await put('target', 'x', 0o644);
    await link('link', 'target');
    expect(await outcome(chmodTo(at('link'), '600'))).toBe('200');
    expect(await modeOf(at('target'))).toBe(0o600);
  });

  it('changes the contents of a directory only with `recursive`, and never the targets of links', async () => {
    await put('outside', 'x', 0o644);
    await put('d/e/file', 'x', 0o644);
    await link('d/link', at('outside'));
    expect(await outcome(chmodTo(at('d'), '700'))).toBe('200');
    expect(await modeOf(at('d', 'e', 'file'))).toBe(0o644);
    expect(await outcome(chmodTo(at('d'), '750', { recursive: true }))).toBe('200');
    for (const name of ['', 'e', 'e/file']) expect(await modeOf(at('d', name))).toBe(0o750);
    expect(await modeOf(at('outside'))).toBe(0o644);
  });

  it('refuses a missing path, and one that the account does not own', async () => {
    expect(await outcome(chmodTo(at('none'), '644'))).toBe('404 file_not_found');
    expect(await outcome(chmodTo('/etc/hostname', '644'))).toBe('403 permission_denied');
  });
});

describe('search', () => {
  const search = (q: string, more: Record<string, string> = {}) =>
    host.ask<Found>({ verb: 'search', query: { path: root, q, ...more } });
  const namesOf = ({ entries }: Found) => entries.map(({ path }) => path.slice(root.length + 1)).sort();

  it('finds names below a directory ignoring case, and links without following them', async () => {
    for (const name of ['a/Report.TXT', 'report', 'b/c/my-report-2', 'other']) await put(name);
    await link('b/report-link', at('a'));
    const { status, body } = await search('rePORT');
    expect([status, body.path, body.truncated]).toEqual([200, root, false]);
    expect(namesOf(body)).toEqual(['a/Report.TXT', 'b/c/my-report-2', 'b/report-link', 'report']);
    expect(body.entries.find(({ name }) => name === 'report-link')).toMatchObject({ is_symlink: true });
  });

  it('stops at its limit and says so', async () => {
    for (let index = 0; index < 12; index += 1) await put(`d${index % 3}/hit-${index}`);
    const { body } = await search('hit', { limit: '5' });
    expect([body.entries.length, body.truncated]).toEqual([5, true]);
  });

  it('skips what it may not read', async () => {
    await put('locked/hit');
    await put('hit');
    await chmod(at('locked'), 0);
    expect(namesOf((await search('hit')).body)).toEqual(['hit']);
  });

  it('refuses a path that is not a directory', async () => {
    await put('hit');
    expect(await outcome({ verb: 'search', query: { path: at('hit'), q: 'x' } })).toBe('409 not_a_directory');
    expect(await outcome({ verb: 'search', query: { path: at('none'), q: 'x' } })).toBe('404 file_not_found');
  });

  it.each([{ q: '' }, { q: 'x', limit: '0' }, { q: 'x', limit: '1001' }, { q: 'x'.repeat(256) }])(
    'refuses %j',
    async (query) => {
      const { status } = await host.ask({ verb: 'search', query: { path: root, ...query } });
      expect(status).toBe(422);
    },
  );
});

/** One write of each kind, on existing files. */
const writesTo = (dir: string): readonly Change[] => [
  { verb: 'write', body: { path: join(dir, 'file'), content: 'changed' } },
  mkdirAt(join(dir, 'new')),
  mkdirAt(join(dir, 'new', 'deep'), { parents: true }),
  rename(join(dir, 'file'), join(dir, 'moved')),
  remove(join(dir, 'file')),
  chmodTo(join(dir, 'file'), '600'),
];

/** Uploads a file with this name to a directory; returns status and code. */
async function send(path: string, filename: string, id: number): Promise<string> {
  const form = new FormData();
  form.append('files', new File(['changed'], filename));
  const query = new URLSearchParams({ path });
  const url = `/api/files/${id}/upload?${query}`;
  const response = await host.gateway.admin.fetch(url, { method: 'POST', body: form });
  const body = await response.json();
  return 'code' in body ? `${response.status} ${body.code}` : String(response.status);
}

/** Begins a resumable upload; returns status and code. */
async function createUpload(path: string, filename: string, id: number): Promise<string> {
  const metadata = Object.entries({ filename, path, overwrite: 'true' }).map(
    ([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`,
  );
  const headers = {
    'Tus-Resumable': '1.0.0',
    'Upload-Length': '3',
    'Upload-Metadata': metadata.join(','),
  };
  const response = await host.gateway.admin.fetch(`/api/files/${id}/uploads`, { method: 'POST', headers });
  const text = await response.text();
  return text === '' ? String(response.status) : `${response.status} ${JSON.parse(text).code}`;
}

describe('A read-only server', () => {
  it('refuses every kind of write, for administrators too, and allows every read', async () => {
    const { id } = await host.add(`read-only-${count}`, { sftp_read_only: true });
    const path = await put('file');
    for (const change of writesTo(root)) {
      expect([change.verb, await outcome(change, { id })]).toEqual([change.verb, '403 sftp_read_only']);
    }
    expect(await send(root, 'new', id)).toBe('403 sftp_read_only');
    const copy = { source_path: path, target_server_id: id, target_path: at('copy') };
    expect(await outcome({ verb: 'copy-to', body: copy })).toBe('403 sftp_read_only');
    expect(await readdir(root)).toEqual(['file']);
    for (const verb of ['ls', 'stat', 'search'] as const) {
      expect(await outcome({ verb, query: { path: root, q: 'x' } }, { id })).toBe('200');
    }
  });
});

describe('The path rules for writes', () => {
  let jail: string;
  let id: number;
  const inJail = (...names: string[]) => join(jail, ...names);

  beforeEach(async () => {
    jail = await make('jail');
    await put('jail/file');
    await put('jail/deep/file');
    await put('outside/file', 'kept');
    await put('jailed/file', 'kept');
    await link('jail/escape', '../outside');
    await link('jail/escape-file', '../outside/file');
    await link('jail/dangling', '../outside/made');
    await link('jail/inner', 'deep');
    id = (await host.add(`jail-${count}`, { sftp_allowed_paths: [jail] })).id;
  });
  const jailed = (change: Change) => outcome(change, { id });
  const OUTSIDE = '403 path_outside_allowed';

  async function expectUntouched(): Promise<void> {
    expect(await readdir(at('outside'))).toEqual(['file']);
    expect(await readFile(at('outside', 'file'), 'utf8')).toBe('kept');
    expect(await readFile(at('jailed', 'file'), 'utf8')).toBe('kept');
  }

  it.each([
    ['beside it', 'outside'],
    ['with a name that only begins alike', 'jailed'],
    ['by ..', 'jail/../outside'],
    ['through a link that leads outside', 'jail/escape'],
  ])('refuse every kind of write %s', async (_what, dir) => {
    for (const change of writesTo(`${root}/${dir}`)) {
      expect([change.verb, await jailed(change)]).toEqual([change.verb, OUTSIDE]);
    }
    expect(await send(`${root}/${dir}`, 'new', id)).toBe(OUTSIDE);
    await expectUntouched();
  });

  it('refuse writing through a link to a file outside', async () => {
    const path = inJail('escape-file');
    expect(await jailed({ verb: 'write', body: { path, content: 'x' } })).toBe(OUTSIDE);
    expect(await send(jail, 'escape-file', id)).toBe(OUTSIDE);
    expect(await jailed(chmodTo(path, '600'))).toBe(OUTSIDE);
    await expectUntouched();
  });

  it('create nothing through a dangling link that leads outside, and leave the link alone', async () => {
    expect(await jailed({ verb: 'write', body: { path: inJail('dangling'), content: 'x' } })).toBe(OUTSIDE);
    expect((await lstat(inJail('dangling'))).isSymbolicLink()).toBe(true);
    await expectUntouched();
  });

  it('check both paths of a rename', async () => {
    expect(await jailed(rename(inJail('file'), at('outside', 'new')))).toBe(OUTSIDE);
    expect(await jailed(rename(at('outside', 'file'), inJail('new')))).toBe(OUTSIDE);
    expect(await jailed(rename(inJail('file'), inJail('escape', 'new')))).toBe(OUTSIDE);
    expect(await jailed(rename(inJail('file'), inJail('deep', 'moved')))).toBe('200');
    await expectUntouched();
  });

  it('allow deleting and renaming links themselves, wherever they lead', async () => {
    expect(await jailed(rename(inJail('escape'), inJail('renamed')))).toBe('200');
    expect(await jailed(remove(inJail('renamed')))).toBe('200');
    expect(await jailed(remove(inJail('escape-file')))).toBe('200');
    await expectUntouched();
  });

  it('allow what is inside, including through links that stay inside', async () => {
    expect(await jailed({ verb: 'write', body: { path: inJail('inner', 'file'), content: 'new' } })).toBe(
      '200',
    );
    expect(await readFile(inJail('deep', 'file'), 'utf8')).toBe('new');
    expect(await send(inJail('inner'), 'sent', id)).toBe('200');
    expect(await readFile(inJail('deep', 'sent'), 'utf8')).toBe('changed');
  });

  it('forbid deleting or renaming an allowed directory itself', async () => {
    expect(await jailed(remove(jail))).toBe(OUTSIDE);
    expect(await jailed(rename(jail, inJail('x')))).toBe(OUTSIDE);
    expect(await jailed(rename(inJail('file'), jail, { overwrite: true }))).toBe(OUTSIDE);
    expect(await exists(inJail('file'))).toBe(true);
  });

  it('do not even reveal what exists outside', async () => {
    const asked = [at('outside', 'file'), at('outside', 'none'), '/no/such/place', '/etc/shadow'];
    for (const path of asked) {
      for (const verb of ['stat', 'delete'] as const) {
        expect([path, await jailed({ verb, query: { path } })]).toEqual([path, OUTSIDE]);
      }
      expect([path, await jailed(mkdirAt(path, { parents: true }))]).toEqual([path, OUTSIDE]);
    }
  });

  it('hold for every entry of a recursive change', async () => {
    await mkdir(inJail('tree'));
    await writeFile(inJail('tree', 'own'), '');
    await link('jail/tree/out', '../../outside');
    expect(await jailed(chmodTo(inJail('deep'), '700', { recursive: true }))).toBe('200');
    await chmod(at('outside', 'file'), 0o644);
    await jailed(chmodTo(inJail('tree'), '777', { recursive: true }));
    expect(await modeOf(at('outside', 'file'))).toBe(0o644);
    await expectUntouched();
  });
});

describe('Allowed directories inside another', () => {
  let jail: string;
  let id: number;
  const inJail = (...names: string[]) => join(jail, ...names);
  const jailed = (change: Change) => outcome(change, { id });
  const REFUSED = '403 allowed_directory';

  beforeEach(async () => {
    jail = await make('jail');
    await put('jail/deep/inner/file', 'kept');
    await put('outside/file', 'secret');
    await make('target/data');
    await link('jail/by-link', 'hop');
    await link('jail/hop', '../target/data');
    await link('jail/dangling', 'nowhere');
    await link('jail/escape', '../outside');
    const allowed = ['', 'deep/inner', 'by-link', 'missing/inner', 'dangling'].map((name) => inJail(name));
    id = (await host.add(`nested-${count}`, { sftp_allowed_paths: allowed })).id;
  });

  it('never become a link that leads outside', async () => {
    const read: Change = { verb: 'read', query: { path: at('outside', 'file') } };
    for (const path of ['deep/inner', 'by-link', 'hop', 'missing', 'missing/inner', 'dangling', 'DEEP']) {
      await jailed(remove(inJail(path)));
      await jailed(rename(inJail(path), inJail('elsewhere')));
      await jailed(rename(inJail('escape'), inJail(path), { overwrite: true }));
      expect([path, await jailed(read)]).toEqual([path, '403 path_outside_allowed']);
    }
    expect(await readFile(inJail('deep', 'inner', 'file'), 'utf8')).toBe('kept');
  });

  it.each(['deep/inner', 'deep', 'by-link', 'hop', 'dangling'])(
    'are neither deleted, renamed nor replaced: %s',
    async (name) => {
      const path = inJail(name);
      await make('jail/other');
      expect(await jailed(remove(path))).toBe(REFUSED);
      expect(await jailed(rename(path, inJail('moved')))).toBe(REFUSED);
      expect(await jailed(rename(inJail('other'), path))).toBe(REFUSED);
      expect(await jailed(rename(inJail('other'), path, { overwrite: true }))).toBe(REFUSED);
      expect(await exists(path)).toBe(true);
    },
  );

  it('are not created by moving a directory there', async () => {
    await make('jail/other/inner');
    expect(await jailed(rename(inJail('other'), inJail('missing')))).toBe(REFUSED);
    expect(await jailed(mkdirAt(inJail('missing', 'inner'), { parents: true }))).toBe('200');
    expect(await jailed(remove(inJail('missing')))).toBe(REFUSED);
  });

  it('are not replaced by a file: saved, uploaded or copied', async () => {
    await put('jail/file');
    const copy = { source_path: inJail('file'), target_server_id: id, target_path: inJail('dangling') };
    const path = inJail('dangling');
    expect(await jailed({ verb: 'write', body: { path, content: 'x' } })).toBe(REFUSED);
    expect(await send(jail, 'dangling', id)).toBe(REFUSED);
    expect(await jailed({ verb: 'copy-to', body: { ...copy, overwrite: true } })).toBe(REFUSED);
    expect(await createUpload(jail, 'dangling', id)).toBe(REFUSED);
    expect(await readlink(path)).toBe('nowhere');
  });

  it('stay usable, and so does all beside them', async () => {
    expect(await send(inJail('deep', 'inner'), 'sent', id)).toBe('200');
    expect(await send(inJail('by-link'), 'sent', id)).toBe('200');
    expect(await jailed(rename(inJail('deep', 'inner', 'sent'), inJail('deep', 'moved')))).toBe('200');
    expect(await jailed(remove(inJail('deep', 'moved')))).toBe('200');
    expect(await jailed(remove(inJail('escape')))).toBe('200');
    const copy = { source_path: inJail('deep'), target_server_id: id, target_path: inJail('by-link') };
    expect(await jailed({ verb: 'copy-to', body: copy })).toBe('200');
    expect(await readFile(at('target', 'data', 'deep', 'inner', 'file'), 'utf8')).toBe('kept');
  });
});

describe('A server with SFTP disabled', () => {
  it('refuses every kind of write', async () => {
    const { id } = await host.add(`off-${count}`, { sftp_enabled: false });
    for (const change of writesTo(root)) {
      expect([change.verb, await outcome(change, { id })]).toEqual([change.verb, '403 sftp_disabled']);
    }
    expect(await send(root, 'new', id)).toBe('403 sftp_disabled');
  });
});
