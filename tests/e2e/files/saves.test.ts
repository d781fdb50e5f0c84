import { chmod, chown, link, lstat, readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TextFile } from '#core/model/files/directory-entry.ts';
import type { Saved } from '#core/model/files/file-change.ts';
import { type FileHost, startFileHost } from '../../support/features/file-host.ts';

const MIB = 1024 * 1024;

let host: FileHost;
beforeAll(async () => {
  host = await startFileHost();
});
afterAll(() => host?.stop());

const save = (path: string, content: string, headers: Record<string, string> = {}) =>
  host.ask<Saved>({ verb: 'write', body: { path, content } }, { headers });
const read = (path: string) => host.ask<TextFile>({ verb: 'read', query: { path } });
const refusal = ({ status, body }: { status: number; body: object }) => ({
  status,
  code: 'code' in body ? body.code : undefined,
});

/** Other files next to those of the tests, such as a leftover part. */
const leftovers = async (folder: string) => (await readdir(folder)).filter((name) => name.startsWith('.'));

describe('write', () => {
  it('saves text and returns its etag, which equals that of the next read', async () => {
    const path = await host.put('notes.txt', 'old');
    const { status, body, headers } = await save(path, 'new ✓\n');
    expect(status).toBe(200);
    expect(body).toMatchObject({ path, status: 'saved', etag: expect.stringMatching(/^".+"$/) });
    expect(headers.get('etag')).toBe(body.etag);
    expect(await readFile(path, 'utf8')).toBe('new ✓\n');
    expect((await read(path)).body.etag).toBe(body.etag);
    expect(await leftovers(host.at())).toEqual([]);
  });

  it.each([
    ['a byte order mark', '\ufefftext\n'],
    ['line ends of every kind', 'a\r\nb\nc\rd'],
    ['nothing', ''],
    ['NUL', 'a\0b'],
    ['what lies outside the basic plane', '🐎𝄞'],
  ])('keeps %s', async (_what, content) => {
    const path = host.at('kept.txt');
    expect((await save(path, content)).status).toBe(200);
    expect(await readFile(path, 'utf8')).toBe(content);
  });

  it('creates a missing file, but no directory', async () => {
    expect((await save(host.at('fresh.txt'), 'x')).status).toBe(200);
    expect(await readFile(host.at('fresh.txt'), 'utf8')).toBe('x');
    expect(refusal(await save(host.at('no-such', 'fresh.txt'), 'x'))).toEqual({
      status: 404,
      code: 'file_not_found',
    });
  });

  it.each([0o600, 0o640, 0o755])('keeps the mode %o', async (mode) => {
    const path = await host.put(`mode-${mode}.txt`, 'old', mode);
    expect((await save(path, 'new')).status).toBe(200);
    const { mode: kept, uid } = await stat(path);
    expect([kept & 0o7777, uid]).toEqual([mode, host.sshd.uid]);
  });

  it('refuses a file that is write-protected', async () => {
    const path = await host.put('protected.txt', 'old', 0o444);
    expect(refusal(await save(path, 'new'))).toEqual({ status: 403, code: 'permission_denied' });
    expect(await readFile(path, 'utf8')).toBe('old');
  });

  it('keeps the owner of a file of root that the account may write, and says that it was written in place', async () => {
    const path = await host.put('of-root.txt', 'old', 0o664);
    await chown(path, 0, host.sshd.uid);
    const { etag } = (await read(path)).body;
    const { status, body } = await save(path, 'new', { 'if-match': etag });
    expect([status, body.in_place, body.is_mode_kept]).toEqual([200, true, true]);
    const { uid, gid, mode } = await stat(path);
    expect([uid, gid, mode & 0o7777, await readFile(path, 'utf8')]).toEqual([0, host.sshd.uid, 0o664, 'new']);
    expect((await save(path, 'stale', { 'if-match': etag })).status).toBe(412);
    expect(await leftovers(host.at())).toEqual([]);
  });

  it('writes a file in a directory that is not writable, and checks its etag', async () => {
    const path = await host.put('closed/notes.txt', 'old');
    await chown(host.at('closed'), 0, 0);
    const { etag } = (await read(path)).body;
    const { status, body } = await save(path, 'new', { 'if-match': etag });
    expect([status, body.in_place, await readFile(path, 'utf8')]).toEqual([200, true, 'new']);
    expect((await save(path, 'stale', { 'if-match': etag })).status).toBe(412);
    expect(refusal(await save(host.at('closed/fresh.txt'), 'x'))).toMatchObject({
      code: 'permission_denied',
    });
  });

  it('says beforehand which files the account may write, and asking changes nothing', async () => {
    const path = await host.put('asked.txt', 'text');
    const before = await stat(path);
    expect((await read(path)).body.is_writable).toBe(true);
    const { mtimeMs, ctimeMs, size } = await stat(path);
    expect({ mtimeMs, ctimeMs, size }).toEqual({
      mtimeMs: before.mtimeMs,
      ctimeMs: before.ctimeMs,
      size: before.size,
    });
    await chown(path, 0, 0);
    await chmod(path, 0o644);
    expect((await read(path)).body.is_writable).toBe(false);
    await chmod(path, 0o646);
    expect((await read(path)).body.is_writable).toBe(true);
  });

  it('keeps hard links', async () => {
    const path = await host.put('one.txt', 'old');
    await link(path, host.at('other.txt'));
    expect((await save(path, 'new')).body.in_place).toBe(true);
    expect(await readFile(host.at('other.txt'), 'utf8')).toBe('new');
  });

  it('through a link keeps the link', async () => {
    const path = await host.put('target.txt', 'old');
    await host.link('link.txt', 'target.txt');
    const { body } = await save(host.at('link.txt'), 'new');
    expect(body.path).toBe(host.at('link.txt'));
    expect(await readFile(path, 'utf8')).toBe('new');
    expect(await readlink(host.at('link.txt'))).toBe('target.txt');
  });

  it('through a dangling link creates its target, as the host would, and keeps the link', async () => {
    await host.make('app/releases');
    await host.link('app/env', 'releases/current.env');
    await host.link('by-name', 'app/env');
    expect((await save(host.at('by-name'), 'A=1\n')).status).toBe(200);
    const target = host.at('app', 'releases', 'current.env');
    const { mode, uid } = await lstat(target);
    expect([await readFile(target, 'utf8'), mode & 0o7777, uid]).toEqual(['A=1\n', 0o644, host.sshd.uid]);
    expect([await readlink(host.at('app', 'env')), await readlink(host.at('by-name'))]).toEqual([
      'releases/current.env',
      'app/env',
    ]);
  });

  it('refuses a dangling link whose target has no directory or is not allowed, and keeps the link', async () => {
    await host.make('jail');
    await host.link('jail/lost', 'missing/file');
    await host.link('jail/out', '../outside');
    const { id } = await host.add('linked', { sftp_allowed_paths: [host.at('jail')] });
    const refused = async (name: string) => {
      const body = { path: host.at('jail', name), content: 'x' };
      const answer = await host.ask({ verb: 'write', body }, { id });
      return [...Object.values(refusal(answer)), (await lstat(body.path)).isSymbolicLink()];
    };
    expect(await refused('lost')).toEqual([404, 'file_not_found', true]);
    expect(await refused('out')).toEqual([403, 'path_outside_allowed', true]);
    expect(await leftovers(host.at())).toEqual([]);
  });

  it('accepts text of 8 MiB, and no more', async () => {
    const path = host.at('large.txt');
    expect((await save(path, '\n'.repeat(8 * MIB))).status).toBe(200);
    expect((await stat(path)).size).toBe(8 * MIB);
    expect(refusal(await save(path, `ü${'x'.repeat(8 * MIB - 1)}`))).toEqual({
      status: 413,
      code: 'file_too_large',
    });
    expect((await stat(path)).size).toBe(8 * MIB);
  });

  it.each([
    ['a directory', 'place', 409, 'not_a_file'],
    ['below a file', 'notes.txt/x', 404, 'file_not_found'],
  ])('refuses %s', async (_what, name, status, code) => {
    await host.make('place');
    await host.put('notes.txt', 'old');
    expect(refusal(await save(host.at(name), 'x'))).toEqual({ status, code });
  });

  it('refuses a file that the account may not write, and leaves it unchanged', async () => {
    expect(refusal(await save('/etc/hostname', 'x'))).toEqual({ status: 403, code: 'permission_denied' });
  });
});

describe('If-Match', () => {
  it('overwrites the version that was read, and nothing else', async () => {
    const path = await host.put('matched.txt', 'one');
    const { etag } = (await read(path)).body;
    const second = await save(path, 'two', { 'if-match': etag });
    expect(second.status).toBe(200);
    expect(refusal(await save(path, 'three', { 'if-match': etag }))).toEqual({
      status: 412,
      code: 'stale_etag',
    });
    expect(await readFile(path, 'utf8')).toBe('two');
    expect((await save(path, 'three', { 'if-match': `"other", ${second.body.etag}` })).status).toBe(200);
  });

  it('notices a change on the host', async () => {
    const path = await host.put('edited.txt', 'one');
    const { etag } = (await read(path)).body;
    await writeFile(path, 'by hand');
    expect((await save(path, 'two', { 'if-match': etag })).status).toBe(412);
    expect(await readFile(path, 'utf8')).toBe('by hand');
    expect(await leftovers(host.at())).toEqual([]);
  });

  it('of * requires a file, and If-None-Match of * requires none', async () => {
    const path = host.at('starred.txt');
    expect((await save(path, 'x', { 'if-match': '*' })).status).toBe(412);
    expect((await save(path, 'x', { 'if-none-match': '*' })).status).toBe(200);
    expect((await save(path, 'y', { 'if-none-match': '*' })).status).toBe(412);
    expect((await save(path, 'z', { 'if-match': '*' })).status).toBe(200);
    expect(await readFile(path, 'utf8')).toBe('z');
  });

  it('lets exactly one of several concurrent saves with one etag win', async () => {
    for (let round = 0; round < 5; round += 1) {
      const path = await host.put(`raced-${round}.txt`, 'start');
      const { etag } = (await read(path)).body;
      const texts = Array.from({ length: 6 }, (_, index) => `writer ${index}`);
      const answers = await Promise.all(texts.map((text) => save(path, text, { 'if-match': etag })));
      const statuses = answers.map(({ status }) => status);
      expect([...statuses].sort()).toEqual([200, 412, 412, 412, 412, 412]);
      expect(await readFile(path, 'utf8')).toBe(texts[statuses.indexOf(200)]);
    }
    expect(await leftovers(host.at())).toEqual([]);
  });

  it('lets one of several concurrent saves of a new file win', async () => {
    const path = host.at('newly-raced.txt');
    const saves = ['a', 'b', 'c'].map((text) => save(path, text, { 'if-none-match': '*' }));
    const statuses = (await Promise.all(saves)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 412, 412]);
  });
});
