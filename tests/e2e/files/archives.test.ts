import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, open, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ArchiveListing, ExtractEnd, ExtractEvent, ExtractInput } from '#core/model/files/archive.ts';
import { type FileHost, startFileHost } from '../../support/features/file-host.ts';
import { centralOf, localOf, type ZipInputMember, zipOf } from '../../support/features/zip-files.ts';

const GIB = 1024 ** 3;
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
const put = (name: string, content: string | Uint8Array) => host.put(`case-${count}/${name}`, content);
const putZip = (members: readonly ZipInputMember[]) => put('a.zip', zipOf(members));

async function list(path: string): Promise<ArchiveListing> {
  const { status, body } = await host.ask<ArchiveListing>({ verb: 'archive', query: { path } });
  expect(status).toBe(200);
  return body;
}

async function refusalOfList(path: string): Promise<string> {
  const { status, body } = await host.ask({ verb: 'archive', query: { path } });
  return `${status} ${body['code']}`;
}

const memberUrl = (query: Record<string, string>) =>
  `/api/files/${host.server.id}/archive/member?${new URLSearchParams(query)}`;
const readMember = (path: string, member: string) => host.gateway.admin.fetch(memberUrl({ path, member }));

interface Asked {
  readonly id?: number;
  readonly signal?: AbortSignal;
}

function ask(input: ExtractInput, { id = host.server.id, signal }: Asked = {}): Promise<Response> {
  return host.gateway.admin.fetch(`/api/files/${id}/extract`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
    ...(signal && { signal }),
  });
}

async function* eventsOf(response: Response): AsyncGenerator<ExtractEvent> {
  if (!response.body) throw new Error('There is no body');
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^event: (\w+)\ndata: (.*)$/.exec(event);
      if (data?.[2]) yield JSON.parse(data[2]) as ExtractEvent; // the gateway sends only events of its schema
    }
  }
}

interface Extracted {
  readonly end: ExtractEnd;
  /** Codes of the skipped members, by name. */
  readonly skipped: Record<string, string>;
}

/** Into `out`, unless another target is given. */
async function extract(path: string, more: Partial<ExtractInput> = {}): Promise<Extracted> {
  const response = await ask({ path, target_path: at('out'), ...more });
  expect(response.status, await (response.ok ? '' : response.text())).toBe(200);
  const skipped: Record<string, string> = {};
  for await (const event of eventsOf(response)) {
    if (event.type === 'skipped') skipped[event.name] = event.code;
    if (event.type === 'done' || event.type === 'error') return { end: event, skipped };
  }
  throw new Error('The events have no end');
}

async function refusal(path: string, more: Partial<ExtractInput> = {}, asked?: Asked): Promise<string> {
  const response = await ask({ path, target_path: at('out'), ...more }, asked);
  return `${response.status} ${(await response.json()).code}`;
}

async function everythingIn(path: string): Promise<string[]> {
  return (await readdir(path, { recursive: true })).sort();
}

describe('The list of members', () => {
  it('has names, sizes and times, as the program `zip` stored them', async () => {
    await put('src/docs/readme.txt', 'read me\n'.repeat(100));
    await put('src/été.txt', 'x');
    execFileSync('zip', ['-qr', '../b.zip', '.'], { cwd: at('src') });
    execFileSync('touch', ['-d', '2024-05-06T07:08:10Z', at('src/docs/readme.txt')]);
    execFileSync('zip', ['-qr', at('b.zip'), '.'], { cwd: at('src') });
    const { entries, truncated } = await list(at('b.zip'));
    expect(entries.map(({ name }) => name).sort()).toEqual(['docs', 'docs/readme.txt', 'été.txt']);
    expect(entries.find(({ name }) => name === 'docs/readme.txt')).toMatchObject({
      ...{ size: 800, is_dir: false, modified: '2024-05-06T07:08:10Z', is_encrypted: false },
    });
    expect(truncated).toBe(false);
  });

  it('and one member are read at their offsets, with ZIP64, behind 5 GiB', async () => {
    const big = { name: 'big', method: 0, size: 5 * GIB, packed_size: 5 * GIB, zip64: true };
    const after = { name: 'after.txt', content: 'behind it', zip64: true };
    const path = await put('large.zip', localOf(big));
    const file = await open(path, 'r+'); // a hole takes no space
    const offset = (await stat(path)).size + 5 * GIB;
    const local = localOf(after);
    await file.write(local, 0, local.length, offset);
    const central = centralOf([big, { ...after, offset }], offset + local.length);
    await file.write(central, 0, central.length, offset + local.length);
    await file.close();
    expect((await list(path)).entries.map(({ name, size }) => [name, size])).toEqual([
      ['big', 5 * GIB],
      ['after.txt', 9],
    ]);
    expect(await (await readMember(path, 'after.txt')).text()).toBe('behind it');
  });

  it('decodes names that are not marked as UTF-8', async () => {
    const path = await putZip([
      { name: 'é-utf8' },
      { name: Buffer.from('82.txt\x82', 'latin1'), made_by: 0 },
      { name: Buffer.from('caf\xe9', 'latin1'), content: 'bytes' },
    ]);
    const names = (await list(path)).entries.map(({ name }) => name);
    expect(names).toEqual(['é-utf8', '82.txté', 'bytes:caf%E9']);
    expect(await (await readMember(path, 'bytes:caf%E9')).text()).toBe('bytes');
  });

  it.each([
    ['text', 'not an archive', '415 archive_unreadable'],
    ['an empty file', '', '415 archive_unreadable'],
    ['a damaged directory', zipOf([{ name: 'a' }]).fill(0, 32, 60), '422 archive_damaged'],
  ])('is refused for %s', async (_what, content, outcome) => {
    expect(await refusalOfList(await put('no.zip', content))).toBe(outcome);
  });
});

describe('A member', () => {
  it('is sent decompressed, also with the ticket of its archive', async () => {
    const path = await putZip([
      { name: 'dir/blob.bin', content: BLOB },
      { name: 'page.html', content: '<p>' },
    ]);
    const response = await readMember(path, 'dir/blob.bin');
    expect(response.headers.get('content-length')).toBe(String(BLOB.length));
    expect(BLOB.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
    const asked = await host.gateway.admin.call<{ ticket: string }>(
      'POST',
      `/api/files/${host.server.id}/ticket`,
      { path },
    );
    const { ticket } = asked.body;
    const page = await host.gateway.anonymous.fetch(
      memberUrl({ path, member: 'page.html', ticket, inline: '1' }),
    );
    expect(await page.text()).toBe('<p>');
    expect(page.headers.get('content-disposition')).toMatch(/^attachment; filename="page.html"/);
    expect(page.headers.get('content-security-policy')).toMatch(/^sandbox/);
  });

  it.each<[string, ZipInputMember, string]>([
    ['that does not exist', { name: 'other' }, '404 member_not_found'],
    ['that is a directory', { name: 'm/' }, '409 not_a_file'],
    ['that is a link', { name: 'm', content: '/etc/passwd', mode: 0o120777 }, '409 not_a_file'],
    ['that is encrypted', { name: 'm', flags: 1 }, '415 member_encrypted'],
    ['with another method', { name: 'm', method: 12 }, '415 member_method'],
  ])('%s is refused', async (_what, member, outcome) => {
    const response = await readMember(await putZip([member]), 'm');
    expect(`${response.status} ${(await response.json()).code}`).toBe(outcome);
  });

  it('that is damaged never arrives as a whole', async () => {
    const response = await readMember(await putZip([{ name: 'm', content: BLOB, crc: 1 }]), 'm');
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });
});

describe('An extraction', () => {
  it('restores what `zip` packed, with contents, modes and times', async () => {
    await put('src/docs/deep/readme.txt', 'read me\n'.repeat(50_000));
    await put('src/blob', BLOB);
    await put('src/empty', '');
    await host.make(`case-${count}/src/nothing`);
    await host.put(`case-${count}/src/run.sh`, 'ls', 0o755);
    execFileSync('touch', ['-d', '2024-05-06T07:08:10Z', at('src/blob')]);
    execFileSync('zip', ['-qr', at('b.zip'), '.'], { cwd: at('src') });
    const { end, skipped } = await extract(at('b.zip'));
    expect([end, skipped]).toEqual([
      { type: 'done', path: at('out'), created: 4, directories: 4, bytes: 700_002, skipped_count: 0 },
      {},
    ]);
    execFileSync('diff', ['-r', at('src'), at('out')]);
    expect((await stat(at('out/run.sh'))).mode & 0o7777).toBe(0o755);
    expect((await stat(at('out/blob'))).mtime.toISOString()).toBe('2024-05-06T07:08:10.000Z');
  });

  it('tells its progress and the total', async () => {
    const path = await putZip([
      { name: 'a', content: 'aa' },
      { name: 'b', content: 'bbb' },
    ]);
    const events: ExtractEvent[] = [];
    for await (const event of eventsOf(await ask({ path, target_path: at('out') }))) events.push(event);
    expect(events[0]).toEqual({
      type: 'progress',
      bytes: 0,
      files: 0,
      path: '',
      total_bytes: 5,
      total_files: 2,
    });
  });

  it('of chosen members takes directories with their content', async () => {
    const path = await putZip(['a/x', 'a/b/y', 'ab/z', 'c'].map((name) => ({ name })));
    await extract(path, { members: ['a/b/', 'c'] });
    expect(await everythingIn(at('out'))).toEqual(['a', 'a/b', 'a/b/y', 'c']);
    expect(await refusal(path, { members: ['a/c'] })).toBe('404 member_not_found');
  });

  it('writes nothing that leads out of the target', async () => {
    const names = [
      '/etc/abs',
      '../up',
      'a/../../up2',
      'C:/drive',
      'back\\..\\slash',
      'nul\0',
      '.sallyport-abcdefghijkl.part',
    ];
    const links = [
      { name: 'link', content: '/etc', mode: 0o120777 },
      { name: 'link/in-it', content: 'x' },
      { name: 'fifo', mode: 0o010644 },
    ];
    const path = await putZip([
      ...names.map((name) => ({ name })),
      ...links,
      { name: './good//x', content: 'x' },
    ]);
    const { end, skipped } = await extract(path);
    expect(skipped).toEqual({
      ...Object.fromEntries(names.map((name) => [name, 'member_name'])),
      ...{ link: 'member_link', fifo: 'member_link' },
    });
    expect(end).toMatchObject({ type: 'done', created: 2, skipped_count: 9 });
    expect(await everythingIn(root)).toEqual([
      'a.zip',
      'out',
      'out/good',
      'out/good/x',
      'out/link',
      'out/link/in-it',
    ]);
  });

  it('follows no link of the host that leads out of the target, and writes through none', async () => {
    await host.make(`case-${count}/outside`);
    await host.make(`case-${count}/out/real`);
    await put('outside/file', 'old');
    await symlink(at('outside'), at('out/away'));
    await symlink('real', at('out/within'));
    await symlink(at('outside/file'), at('out/file'));
    const path = await putZip(
      ['away/x', 'away/y/z', 'within/x', 'file'].map((name) => ({ name, content: 'new' })),
    );
    const { skipped } = await extract(path, { overwrite: true });
    const outside = ['away', 'away/x', 'away/y', 'away/y/z'];
    expect(skipped).toEqual({
      ...Object.fromEntries(outside.map((name) => [name, 'member_outside'])),
      file: 'not_a_file',
    });
    expect(await everythingIn(at('outside'))).toEqual(['file']);
    expect(await readFile(at('outside/file'), 'utf8')).toBe('old');
    expect(await readFile(at('out/real/x'), 'utf8')).toBe('new');
  });

  it('keeps the first of several members with one name', async () => {
    const path = await putZip(
      ['x', 'x', 'x/below', 'd/y', 'd'].map((name, nth) => ({ name, content: String(nth) })),
    );
    const { skipped } = await extract(path);
    expect(skipped).toEqual({ x: 'member_twice', 'x/below': 'member_twice', d: 'member_twice' });
    expect(await readFile(at('out/x'), 'utf8')).toBe('0');
  });

  it('skips damaged, encrypted and unsupported members, and leaves nothing of them', async () => {
    const content = 'content '.repeat(1000);
    const path = await putZip([
      { name: 'sum', content, crc: 1 },
      { name: 'longer', content, size: 10, local: { size: 10 } },
      { name: 'large', content: BLOB, size: 10, local: { size: 10 } },
      { name: 'shorter', content, size: 10_000, local: { size: 10_000 } },
      { name: 'renamed', content, local: { name: 'another' } },
      { name: 'resized', content, local: { size: 1 } },
      { name: 'garbled', content, method: 0, flags: 0 },
      { name: 'secret', content, flags: 1 },
      { name: 'modern', content, method: 93 },
      { name: 'good', content },
    ]);
    const bytes = await readFile(path);
    bytes.writeUInt16LE(8, bytes.indexOf('garbled') - 30 + 8); // stored, but called deflated
    bytes.writeUInt16LE(8, bytes.lastIndexOf('garbled') - 46 + 10);
    await writeFile(path, bytes);
    const { end, skipped } = await extract(path);
    const damaged = ['sum', 'longer', 'large', 'shorter', 'renamed', 'resized', 'garbled'];
    expect(skipped).toEqual({
      ...Object.fromEntries(damaged.map((name) => [name, 'archive_damaged'])),
      ...{ secret: 'member_encrypted', modern: 'member_method' },
    });
    expect(end).toMatchObject({ type: 'done', created: 1, bytes: content.length, skipped_count: 9 });
    expect(await everythingIn(at('out'))).toEqual(['good']);
  });

  it.each<[string, string, ZipInputMember[]]>([
    [
      'that overlap',
      'archive_overlap',
      [
        { name: 'a', content: 'aaaa' },
        { name: 'b', content: 'aaaa', offset: 0 },
      ],
    ],
    ['that grow too much', 'archive_bomb', [{ name: 'a', content: 'a', size: 63 * GIB, zip64: true }]],
    ['with endless names', 'archive_too_large', [{ name: 'a/'.repeat(2049), content: '' }]],
  ])('of members %s is refused, and writes nothing', async (_what, code, members) => {
    expect(await refusal(await putZip(members))).toMatch(new RegExp(`^4\\d\\d ${code}$`));
    expect(await everythingIn(root)).toEqual(['a.zip']);
  });

  it('of more than 100,000 members, or of more than 64 GiB, is refused', async () => {
    expect(await refusal(await put('many.zip', centralOf([{ name: 'a' }], 0, 100_001)))).toBe(
      '413 archive_too_large',
    );
    const member = { name: 'a', content: BLOB, size: 65 * GIB, zip64: true };
    const local = localOf(member);
    const path = await put('a.zip', Buffer.concat([local, centralOf([member], local.length)]));
    expect(await refusal(path)).toBe('413 archive_too_large');
  });

  it('refuses files that exist, or skips, renames or overwrites them', async () => {
    await put('out/d/x.txt', 'old');
    const path = await putZip(['d/x.txt', 'd/new'].map((name) => ({ name, content: 'new' })));
    expect(await refusal(path)).toBe('409 already_exists');
    expect(await everythingIn(at('out/d'))).toEqual(['x.txt']);
    expect((await extract(path, { on_conflict: 'skip' })).skipped).toEqual({ 'd/x.txt': 'already_exists' });
    expect(await everythingIn(at('out/d'))).toEqual(['new', 'x.txt']);
    await extract(path, { on_conflict: 'rename' });
    expect(await everythingIn(at('out/d'))).toEqual(['new', 'new (2)', 'x (2).txt', 'x.txt']);
    expect(await readFile(at('out/d/x.txt'), 'utf8')).toBe('old');
    await extract(path, { on_conflict: 'overwrite' });
    expect(await readFile(at('out/d/x.txt'), 'utf8')).toBe('new');
  });

  it('never replaces the archive itself', async () => {
    const path = await putZip([{ name: 'a.zip', content: 'gone' }]);
    const { skipped } = await extract(path, { target_path: root, overwrite: true });
    expect(skipped).toEqual({ 'a.zip': 'already_exists' });
    expect((await list(path)).entries.length).toBe(1);
  });

  it('grants no set-ID bits, and no write permission to others', async () => {
    await extract(await putZip([{ name: 'x', mode: 0o106777 }]));
    expect((await stat(at('out/x'))).mode & 0o7777).toBe(0o755);
  });

  it('follows the rules of the server', async () => {
    const path = await putZip([{ name: 'x' }]);
    const inside = await host.make(`case-${count}/inside`);
    const read_only = await host.add(`ro-${count}`, { sftp_read_only: true });
    const confined = await host.add(`in-${count}`, { sftp_allowed_paths: [inside] });
    expect([
      await refusal(path, {}, { id: read_only.id }),
      await refusal(path, { target_path: inside }, { id: confined.id }),
      await refusal(path, { target_path: path }),
      await refusal(path, { target_path: at('no/such/parent') }),
    ]).toEqual([
      '403 sftp_read_only',
      '403 path_outside_allowed',
      '409 not_a_directory',
      '404 file_not_found',
    ]);
    await put('inside/a.zip', zipOf([{ name: 'x' }]));
    await symlink(root, at('inside/up'));
    expect(await refusal(at('inside/a.zip'), { target_path: at('inside/up') }, { id: confined.id })).toBe(
      '403 path_outside_allowed',
    );
    expect((await ask({ path: at('inside/a.zip'), target_path: inside }, { id: confined.id })).status).toBe(
      200,
    );
  });
});

describe('An extraction that ends early', () => {
  const many = Array.from({ length: 300 }, (_, nth) => ({ name: `f${nth}`, content: BLOB, method: 0 }));

  it('keeps complete files only when the caller leaves, and records it', async () => {
    const gone = new AbortController();
    const response = await ask({ path: await putZip(many), target_path: at('out') }, { signal: gone.signal });
    const watched = (async () => {
      for await (const event of eventsOf(response))
        if (event.type === 'progress' && event.files > 0) gone.abort();
    })();
    await expect(watched).rejects.toThrow();
    await expect
      .poll(auditDetail, { timeout: 60_000 })
      .toMatch(/; stopped after files: \d+ \(client_left\)$/);
    const files = await everythingIn(at('out'));
    expect(files.length).toBeGreaterThan(0);
    expect(files.length).toBeLessThan(many.length);
    for (const name of files) expect((await stat(at('out', name))).size).toBe(BLOB.length);
  });

  it('names what was not written when the host dies', async () => {
    const path = await putZip(many);
    let end: ExtractEvent | undefined;
    for await (const event of eventsOf(await ask({ path, target_path: at('out') }))) {
      if (event.type === 'progress' && event.files > 0) await host.sshd.killSessions();
      end = event;
    }
    if (end?.type !== 'error') throw new Error('It did not fail');
    expect(end).toMatchObject({ code: 'host_disconnected', skipped_count: 0 });
    expect(end.created + end.missing_count).toBe(many.length);
    expect(end.missing.length).toBe(100);
  });

  it('is refused by a full disk before it begins', async () => {
    await mkdir(at('disk'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', at('disk')]);
    try {
      await chown(at('disk'), host.sshd.uid, host.sshd.uid);
      expect(await refusal(await putZip(many.slice(0, 10)), { target_path: at('disk') })).toBe(
        '507 remote_disk_full',
      );
      expect(await everythingIn(at('disk'))).toEqual([]);
    } finally {
      execFileSync('umount', ['-l', at('disk')]);
    }
  });
});

/** The newest entry of an extraction. */
async function auditDetail(): Promise<string | undefined> {
  const path = '/api/auth/audit?action=sftp_extract&limit=1';
  return (await host.gateway.admin.call<{ detail: string }[]>('GET', path)).body[0]?.detail;
}
