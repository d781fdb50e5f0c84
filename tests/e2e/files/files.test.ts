import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { chmod, chown, mkdir, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DirectoryEntry, Listing, TextFile } from '#core/model/files/directory-entry.ts';
import type { Server } from '#core/model/hosts/server.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { IS_BALANCED } from '../../support/gateway/is-balanced.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const MODIFIED = new Date('2026-01-02T03:04:05Z');
const BLOB = randomBytes(3 * 1024 * 1024 + 17);

let sshd: Sshd;
let gateway: TestGateway;
let server: Server;
let root: string;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway();
  server = await addHost('files-box');
  root = sshd.folder;
  await mkdir(join(root, 'Zdir'));
  await mkdir(join(root, 'adir'));
  await put('b.txt', 'hello\r\nwörld\n');
  await put('A.txt', '\ufeffwith a BOM\n');
  await put('.hidden', '');
  await put('blob.bin', BLOB);
  await put('empty', '');
  await put('latin1.txt', Buffer.from([0x66, 0xfc, 0x72]));
  await put('binary.txt', Buffer.from('text\0text'));
  await put('secret', 'not for you');
  await chown(join(root, 'secret'), 0, 0);
  await truncate(await put('huge.txt', ''), 8 * 1024 * 1024 + 1);
  await symlink('b.txt', join(root, 'link'));
  await symlink('/etc', join(root, 'outside'));
  await utimes(join(root, 'blob.bin'), MODIFIED, MODIFIED);
  await chmod(join(root, 'secret'), 0o600);
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});

async function put(name: string, content: string | Buffer): Promise<string> {
  const path = join(root, name);
  await writeFile(path, content);
  return path;
}

function addHost(name: string, fields: Record<string, unknown> = {}): Promise<Server> {
  const { port, username, password } = sshd;
  return gateway.addServer({ name, port, username, password, ...fields });
}

const urlOf = (operation: string, path: string, id = server.id) =>
  `/api/files/${id}/${operation}?path=${encodeURIComponent(path)}`;

function ask<T = Record<string, unknown>>(operation: string, path: string, id = server.id) {
  return gateway.admin.call<T>('GET', urlOf(operation, path, id));
}

function download(name: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return gateway.admin.fetch(urlOf('download', join(root, name)), { method, headers });
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

describe('home', () => {
  const home = (id: number) => gateway.admin.call<{ path: string }>('GET', `/api/files/${id}/home`);

  it('is the login directory', async () => {
    expect((await home(server.id)).body).toEqual({ path: sshd.home });
  });

  it('is the login directory when it is inside an allowed one', async () => {
    const { id } = await addHost('roomy-box', { sftp_allowed_paths: ['/srv', dirname(sshd.home)] });
    expect((await home(id)).body).toEqual({ path: sshd.home });
  });

  it('is the first existing allowed directory when the login directory is not allowed', async () => {
    const { id } = await addHost('narrow-box', {
      sftp_allowed_paths: ['/no/such/place', `${root}/x/..`, '/srv'],
    });
    expect((await home(id)).body).toEqual({ path: root });
  });
});

describe('A name that is not valid text', () => {
  it.each([
    ['of which an escape in the query is not UTF-8', '/srv/%ff', 'invalid_query'],
    ['of which an escape in the query is cut off', '/srv/%e2%82', 'invalid_query'],
  ])('is refused, %s', async (_what, escaped, code) => {
    const answer = await gateway.admin.call('DELETE', `/api/files/${server.id}/delete?path=${escaped}`);
    expect([answer.status, answer.body['code']]).toEqual([400, code]);
  });

  it('is refused as path and as content when it contains half a surrogate pair', async () => {
    const write = (path: string, content: string) =>
      gateway.admin.call('PUT', `/api/files/${server.id}/write`, { path, content });
    expect((await write(`${root}/half\ud800`, 'x')).body['code']).toBe('invalid_path');
    const { status, body } = await write(`${root}/half`, 'x\udfff');
    expect([status, body['errors']]).toMatchObject([422, [{ path: 'content' }]]);
    expect(existsSync(join(root, 'half'))).toBe(false);
  });
});

describe('ls', () => {
  it('lists directories first, then by name ignoring case', async () => {
    const { status, body } = await ask<Listing>('ls', `${root}/./x/..`);
    expect(status).toBe(200);
    expect(body.path).toBe(root);
    const names = body.entries.map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(['adir', 'outside', 'Zdir']);
    expect(names.slice(3, 7)).toEqual(['.hidden', 'A.txt', 'b.txt', 'binary.txt']);
  });

  it('lists many entries, in slices that form one JSON document', async () => {
    const many = join(root, 'many');
    await mkdir(many);
    await Promise.all(Array.from({ length: 2501 }, (_, index) => writeFile(join(many, `f${index}`), '')));
    const { status, headers, body } = await ask<Listing>('ls', many);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(new Set(body.entries.map(({ name }) => name)).size).toBe(2501);
  });

  it('describes an entry as specified', async () => {
    const { body } = await ask<Listing>('ls', root);
    const find = (name: string) => body.entries.find((entry) => entry.name === name);
    expect(find('blob.bin')).toEqual({
      name: 'blob.bin',
      path: join(root, 'blob.bin'),
      is_dir: false,
      is_symlink: false,
      link_target: null,
      size: BLOB.length,
      permissions: '-rw-r--r--',
      owner: '0',
      group: '0',
      modified: '2026-01-02T03:04:05Z',
      addressable: true,
    });
    expect(find('Zdir')).toMatchObject({ is_dir: true, permissions: 'drwxr-xr-x' });
    expect(find('link')).toMatchObject({ is_dir: false, is_symlink: true, link_target: 'b.txt' });
    expect(find('outside')).toMatchObject({ is_dir: true, is_symlink: true, link_target: '/etc' });
  });

  it.each([
    ['a relative path', 'etc', 400, 'invalid_path'],
    ['a path with NUL', '/etc\0', 400, 'invalid_path'],
    ['a missing directory', '/no/such/place', 404, 'file_not_found'],
    ['a file', '/etc/hostname', 409, 'not_a_directory'],
    ['a directory that the account may not read', '/root', 403, 'permission_denied'],
  ])('refuses %s', async (_what, path, status, code) => {
    const answer = await ask('ls', path);
    expect({ status: answer.status, code: answer.body['code'] }).toEqual({ status, code });
  });
});

describe('stat', () => {
  it('describes one entry, without following a link', async () => {
    const { body } = await ask<DirectoryEntry>('stat', join(root, 'link'));
    expect(body).toMatchObject({
      name: 'link',
      path: join(root, 'link'),
      is_symlink: true,
      link_target: 'b.txt',
    });
  });

  it('answers for the root', async () => {
    expect((await ask('stat', '/')).body).toMatchObject({ path: '/', is_dir: true });
  });
});

describe('read', () => {
  it('returns text with its etag and size, and keeps line endings', async () => {
    const { body } = await ask<TextFile>('read', join(root, 'b.txt'));
    expect(body).toMatchObject({ path: join(root, 'b.txt'), content: 'hello\r\nwörld\n', size: 14 });
    expect(body.etag).toMatch(/^".+"$/);
  });

  it('keeps the byte order mark', async () => {
    expect((await ask<TextFile>('read', join(root, 'A.txt'))).body.content).toBe('\ufeffwith a BOM\n');
  });

  it('reads files without a size, as in /proc', async () => {
    expect((await ask<TextFile>('read', '/proc/version')).body.content).toContain('Linux');
  });

  it.each([
    ['over 8 MiB', 'huge.txt', 413, 'file_too_large'],
    ['with a NUL', 'binary.txt', 415, 'not_text'],
    ['that is not UTF-8', 'latin1.txt', 415, 'not_text'],
    ['that is missing', 'missing', 404, 'file_not_found'],
    ['that the account may not read', 'secret', 403, 'permission_denied'],
    ['that is a directory', 'adir', 409, 'not_a_file'],
  ])('refuses a file %s', async (_what, name, status, code) => {
    const answer = await ask('read', join(root, name));
    expect({ status: answer.status, code: answer.body['code'] }).toEqual({ status, code });
  });

  it('never opens a device', async () => {
    expect((await ask('read', '/dev/zero')).body['code']).toBe('not_a_file');
  });
});

describe('download', () => {
  it('sends the bytes with their headers', async () => {
    const response = await download('blob.bin');
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-length': String(BLOB.length),
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="blob.bin"; filename*=UTF-8''blob.bin`,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT',
    });
    expect(sha256(await bytesOf(response))).toBe(sha256(BLOB));
  });

  it('never mixes the content of downloads at the same time, however slowly they are read', async () => {
    const contents = Array.from({ length: 4 }, () => randomBytes(12 * 1024 * 1024));
    await Promise.all(contents.map((content, nth) => put(`mixed-${nth}.bin`, content)));
    const readAll = async (_: Buffer, nth: number) => {
      const hash = createHash('sha256');
      for await (const bytes of (await download(`mixed-${nth}.bin`)).body ?? []) {
        hash.update(bytes);
        for (let turns = 0; turns < nth; turns += 1) await new Promise(setImmediate);
      }
      return hash.digest('hex');
    };
    const [whole, ...cancelled] = await Promise.all([
      Promise.all(contents.map(readAll)),
      ...contents.map(async (_, nth) => (await download(`mixed-${nth}.bin`)).body?.cancel()),
    ]);
    expect(cancelled).toHaveLength(contents.length);
    expect(whole).toEqual(contents.map(sha256));
  });

  it('sends an empty file', async () => {
    const response = await download('empty');
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
      200,
      '0',
      '',
    ]);
  });

  it.each([
    ['bytes=0-99', 0, 100],
    ['bytes=100-', 100, BLOB.length],
    ['bytes=-17', BLOB.length - 17, BLOB.length],
    ['bytes=0-99999999999', 0, BLOB.length],
    [`bytes=${BLOB.length - 1}-`, BLOB.length - 1, BLOB.length],
  ])('answers 206 with the range %s', async (range, start, end) => {
    const response = await download('blob.bin', { range });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${BLOB.length}`);
    expect(sha256(await bytesOf(response))).toBe(sha256(BLOB.subarray(start, end)));
  });

  it.each([`bytes=${BLOB.length}-`, 'bytes=-0'])('answers 416 for %s', async (range) => {
    const response = await download('blob.bin', { range });
    expect(response.status).toBe(416);
    expect(response.headers.get('content-range')).toBe(`bytes */${BLOB.length}`);
    expect(await response.json()).toMatchObject({ code: 'range_not_satisfiable' });
  });

  it.each(['lines=0-9', 'bytes=9-0', 'bytes=', 'bytes=0-1,5-6'])(
    'answers %s with the whole file',
    async (range) => {
      expect((await download('blob.bin', { range })).status).toBe(200);
    },
  );

  it('honors If-Range and If-None-Match', async () => {
    const etag = (await download('blob.bin', {}, 'HEAD')).headers.get('etag') ?? '';
    const range = 'bytes=0-9';
    expect((await download('blob.bin', { range, 'if-range': etag })).status).toBe(206);
    expect((await download('blob.bin', { range, 'if-range': '"other"' })).status).toBe(200);
    expect((await download('blob.bin', { range, 'if-range': MODIFIED.toUTCString() })).status).toBe(206);
    expect((await download('blob.bin', { 'if-none-match': etag })).status).toBe(304);
  });

  it('honors If-Match and If-Modified-Since', async () => {
    const etag = (await download('blob.bin', {}, 'HEAD')).headers.get('etag') ?? '';
    const status = async (headers: Record<string, string>, method = 'HEAD') =>
      (await download('blob.bin', headers, method)).status;
    expect(await status({ 'if-match': `"other", ${etag}`, range: 'bytes=0-9' })).toBe(206);
    expect(await status({ 'if-modified-since': MODIFIED.toUTCString() })).toBe(304);
    const refused = await download('blob.bin', { 'if-match': '"other"' });
    expect([refused.status, (await refused.json()).code]).toEqual([412, 'stale_etag']);
  });

  it('answers HEAD with headers only, and releases the connection', async () => {
    for (let count = 0; count < 30; count += 1) {
      const response = await download('blob.bin', {}, 'HEAD');
      expect(response.headers.get('content-length')).toBe(String(BLOB.length));
      expect(await response.text()).toBe('');
    }
    expect((await download('empty')).status).toBe(200);
  });

  it.each([
    [
      'with quotes and a newline',
      'a"b\nc%.txt',
      `attachment; filename="a_b_c_.txt"; filename*=UTF-8''a%22b%0Ac%25.txt`,
    ],
    ['beyond ASCII', 'grüße.pdf', `attachment; filename="gr__e.pdf"; filename*=UTF-8''gr%C3%BC%C3%9Fe.pdf`],
  ])('names a file %s according to RFC 6266', async (_what, name, disposition) => {
    await put(name, 'x');
    expect((await download(name)).headers.get('content-disposition')).toBe(disposition);
  });

  it('serves only safe types inline', async () => {
    await put('page.html', '<script>alert(1)</script>');
    await put('drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
    await put('photo.png', 'x');
    const disposition = async (name: string) =>
      (await gateway.admin.fetch(`${urlOf('download', join(root, name))}&inline=1`)).headers
        .get('content-disposition')
        ?.split(';')[0];
    expect(await disposition('page.html')).toBe('attachment');
    expect(await disposition('drawing.svg')).toBe('attachment');
    expect(await disposition('photo.png')).toBe('inline');
  });

  it.each([
    ['missing', 'missing', 404, 'file_not_found'],
    ['a directory', 'adir', 409, 'not_a_file'],
    ['unreadable', 'secret', 403, 'permission_denied'],
  ])('refuses a path that is %s', async (_what, name, status, code) => {
    const response = await download(name);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code });
  });

  it('breaks the stream when the host dies, and never looks complete', async () => {
    const dying = await startSshd();
    const { port, username, password } = dying;
    const host = await gateway.addServer({ name: 'dying', port, username, password });
    await truncate(await put('large.bin', ''), 2 * 1024 ** 3);
    const response = await gateway.admin.fetch(urlOf('download', join(root, 'large.bin'), host.id));
    const reader = response.body?.getReader();
    await reader?.read();
    await dying.killSessions();
    await expect(drain(reader)).rejects.toThrow();
    await dying.stop();
    expect((await ask('ls', root)).status).toBe(200);
  });

  // nginx does not pass pipelined requests on together.
  it.skipIf(IS_BALANCED)('closes the remote files of pipelined requests that were never served', async () => {
    const { port, hostname } = new URL(gateway.url);
    const request = `GET ${urlOf('download', join(root, 'large.bin'))} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.admin.token}\r\n\r\n`;
    const socket = connect(Number(port), hostname);
    socket.write(request.repeat(20));
    await once(socket, 'data');
    await expect.poll(() => openRemotely('large.bin')).toBeGreaterThan(10);
    socket.destroy();
    await expect.poll(() => openRemotely('large.bin'), { timeout: 60_000 }).toBe(0);
  });

  it('sends what there is of a file that is shorter than its size says, as in /sys', async () => {
    const response = await gateway.admin.fetch(urlOf('download', '/sys/class/net/lo/mtu'));
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '6']);
    expect(await response.text()).toBe('65536\n');
  });

  it('sends the content of a file without a size, as in /proc', async () => {
    const response = await gateway.admin.fetch(urlOf('download', '/proc/version'));
    const text = await response.text();
    expect(text).toContain('Linux');
    expect(response.headers.get('content-length')).toBe(String(text.length));
  });

  it('stops reading when the browser disconnects', async () => {
    const going = new AbortController();
    const response = await gateway.admin.fetch(urlOf('download', join(root, 'large.bin')), {
      signal: going.signal,
    });
    await response.body?.getReader().read();
    going.abort();
    expect((await ask('ls', root)).status).toBe(200);
  });
});

describe('Downloads', () => {
  // Each instance counts its own.
  it.skipIf(IS_BALANCED)(
    'are limited to 100 at once per user: too_many_downloads, until one has ended',
    async () => {
      await truncate(await put('vast', ''), 64 * 1024 * 1024); // No buffer on the way holds it all.
      const open = await Promise.all(Array.from({ length: 100 }, () => download('vast')));
      const refused = await download('vast');
      expect([refused.status, (await refused.json()).code]).toEqual([429, 'too_many_downloads']);
      await Promise.all(open.map(({ body }) => body?.cancel()));
      await expect.poll(async () => (await download('empty')).status).toBe(200);
    },
  );
});

describe('A ticket', () => {
  it('downloads its one file repeatedly, and nothing else', async () => {
    const path = join(root, 'blob.bin');
    const { body } = await gateway.admin.call<{ ticket: string; expires_in: number }>(
      'POST',
      `/api/files/${server.id}/ticket`,
      { path },
    );
    expect(body.expires_in).toBe(600);
    const get = (operation: string, asked: string, id = server.id) =>
      gateway.anonymous.fetch(`${urlOf(operation, asked, id)}&ticket=${body.ticket}`);
    for (let time = 0; time < 2; time += 1) {
      expect(sha256(await bytesOf(await get('download', path)))).toBe(sha256(BLOB));
    }
    const twin = await addHost('twin');
    expect((await get('download', join(root, 'b.txt'))).status).toBe(401);
    expect((await get('download', path, twin.id)).status).toBe(401);
    expect((await get('read', path)).status).toBe(401);
  });

  it('is worthless once its session has ended', async () => {
    const user = await gateway.user({ username: 'ticketed', allowed_groups: ['lab'] });
    const path = join(root, 'b.txt');
    const { body } = await user.call<{ ticket: string }>('POST', `/api/files/${server.id}/ticket`, { path });
    await user.call('POST', '/api/auth/logout');
    expect((await gateway.anonymous.fetch(`${urlOf('download', path)}&ticket=${body.ticket}`)).status).toBe(
      401,
    );
  });
});

describe('The path rules', () => {
  it('refuse every operation when SFTP is disabled, for administrators too', async () => {
    const off = await addHost('no-sftp', { sftp_enabled: false });
    for (const operation of ['ls', 'stat', 'read', 'download']) {
      const { status, body } = await ask(operation, root, off.id);
      expect({ status, code: body['code'] }).toEqual({ status: 403, code: 'sftp_disabled' });
    }
  });

  it.each([
    ['a path outside', '/etc/hostname'],
    ['a path that only begins alike', 'SIBLING'],
    ['a way out by ..', 'JAIL/../b.txt'],
    ['a link that leads outside', 'JAIL/escape/hostname'],
    ['a missing path outside', '/etc/no-such-file'],
    ['the parent', 'ROOT'],
    ['the root', '/'],
  ])('refuse %s by segments, after the server’s realpath', async (_what, path) => {
    const { jail, host } = await jailed();
    const asked = path.replace('JAIL', jail).replace('SIBLING', `${jail}x/y`).replace('ROOT', root);
    for (const operation of ['ls', 'stat', 'read', 'download']) {
      const { status, body } = await ask(operation, asked, host.id);
      expect({ operation, status, code: body['code'] }).toEqual({
        operation,
        status: 403,
        code: 'path_outside_allowed',
      });
    }
  });

  it('allow the directory, its subdirectories, and links that stay inside', async () => {
    const { jail, host } = await jailed();
    expect((await ask('ls', jail, host.id)).status).toBe(200);
    expect((await ask<TextFile>('read', join(jail, 'inner'), host.id)).body.content).toBe('in the jail');
    expect((await ask('stat', join(jail, 'escape'), host.id)).body).toMatchObject({ is_symlink: true });
    expect((await ask('read', join(jail, 'no-such-file'), host.id)).status).toBe(404);
  });

  async function jailed(): Promise<{ jail: string; host: Server }> {
    const jail = join(root, 'jail');
    await mkdir(join(root, 'jailx'), { recursive: true });
    await mkdir(jail, { recursive: true });
    await writeFile(join(jail, 'file'), 'in the jail');
    for (const [target, name] of [
      ['/etc', 'escape'],
      ['file', 'inner'],
    ] as const) {
      await rm(join(jail, name), { force: true });
      await symlink(target, join(jail, name));
    }
    return { jail, host: await addHost('jailed', { sftp_allowed_paths: [`${jail}/`] }) };
  }
});

describe('A host that fails', () => {
  it('with a wrong password: 502 host_auth_failed', async () => {
    const host = await addHost('bad-login', { password: 'wrong' });
    const { status, body } = await ask('ls', '/', host.id);
    expect({ status, code: body['code'] }).toEqual({ status: 502, code: 'host_auth_failed' });
  });

  it('without SFTP: 502 sftp_unavailable', async () => {
    const bare = await startSshd({ sftp: null });
    const { port, username, password } = bare;
    const host = await gateway.addServer({ name: 'bare', port, username, password });
    const { status, body } = await ask('ls', '/', host.id);
    expect({ status, code: body['code'] }).toEqual({ status: 502, code: 'sftp_unavailable' });
    await bare.stop();
  });

  it('under another secret key: 502 credential_unreadable, naming the server', async () => {
    const { db, tables } = gateway.store;
    const host = await addHost('resealed');
    await db
      .update(tables.servers)
      .set({ password_sealed: 'v2:otherid:AAAA:AAAA' })
      .where(eq(tables.servers.id, host.id));
    const { status, body } = await ask('ls', '/', host.id);
    expect({ status, code: body['code'] }).toEqual({ status: 502, code: 'credential_unreadable' });
    expect(body['detail']).toContain('resealed');
  });
});

/** How many handles the sshd's sftp-servers have open on a file. */
async function openRemotely(name: string): Promise<number> {
  const links = (await sshd.sessionProcesses()).flatMap((pid) => {
    const folder = `/proc/${pid}/fd`;
    return existsSync(folder) ? readdirSync(folder).map((fd) => linkOf(join(folder, fd))) : [];
  });
  return links.filter((link) => link.endsWith(`/${name}`)).length;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // Closed in between.
  }
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<void> {
  for (;;) {
    const chunk = await reader?.read();
    if (!chunk || chunk.done) return;
  }
}
