import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, lstat, mkdir, readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Uploaded } from '#core/model/files/file-change.ts';
import { type FileHost, startFileHost } from '../../../support/features/file-host.ts';
import { startGateway } from '../../../support/gateway/gateway.ts';
import { startSshd } from '../../../support/hosts/sshd.ts';

const MIB = 1024 * 1024;
const BLOB = randomBytes(5 * MIB + 13);

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

const at = (name: string) => join(root, name);
const put = (name: string, content: string, mode?: number) =>
  host.put(`case-${count}/${name}`, content, mode);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

interface Sent {
  readonly status: number;
  readonly body: Uploaded & { readonly code?: string; readonly detail?: string };
}

type Content = string | Uint8Array<ArrayBuffer>;

async function upload(
  files: readonly (readonly [name: string, content: Content, field?: string])[],
  { path = root, id = host.server.id, actor = host.gateway.admin, ...query }: UploadOptions = {},
): Promise<Sent> {
  const body = new FormData();
  for (const [name, content, field = 'files'] of files) body.append(field, new File([content], name));
  const asked = new URLSearchParams({ path, ...query });
  const response = await actor.fetch(`/api/files/${id}/upload?${asked}`, { method: 'POST', body });
  return { status: response.status, body: await response.json() };
}

interface UploadOptions {
  readonly path?: string;
  readonly id?: number;
  readonly actor?: FileHost['gateway']['admin'];
  readonly overwrite?: string;
}

const outcomeOf = ({ status, body }: Sent) => (body.code ? `${status} ${body.code}` : String(status));

describe('An upload', () => {
  it('creates the target of a dangling link, which stays, only with overwrite', async () => {
    await host.link(`case-${count}/link`, 'there');
    expect(outcomeOf(await upload([['link', 'new']], { overwrite: 'false' }))).toBe('409 already_exists');
    expect(outcomeOf(await upload([['link', 'new']]))).toBe('200');
    expect([await readFile(at('there'), 'utf8'), await readlink(at('link'))]).toEqual(['new', 'there']);
  });

  it('stores files in a directory, under any field name, and returns their paths', async () => {
    const sent = await upload(
      [
        ['a.bin', BLOB],
        ['b c.txt', 'text', 'anything'],
        ['empty', ''],
      ],
      { path: `${root}/x/..` },
    );
    expect(sent).toEqual({
      status: 200,
      body: { uploaded: [at('a.bin'), at('b c.txt'), at('empty')], count: 3 },
    });
    expect(sha256(await readFile(at('a.bin')))).toBe(sha256(BLOB));
    expect(await readFile(at('b c.txt'), 'utf8')).toBe('text');
    expect((await readdir(root)).sort()).toEqual(['a.bin', 'b c.txt', 'empty']);
  });

  it('makes files that others may read as the account’s own would be', async () => {
    await upload([['new.txt', 'x']]);
    const { mode, uid } = await stat(at('new.txt'));
    expect([(mode & 0o7777).toString(8), uid]).toEqual(['644', host.sshd.uid]);
  });

  it.each([
    'grüße 🐎.txt',
    'a"b.txt',
    "it's $(id) `x`;&|.txt",
    'new\nline.txt',
    '-rf',
    '.hidden',
    'a\\b',
    '\u202egnp.exe',
    'x'.repeat(255),
  ])('accepts the name %j unchanged', async (name) => {
    const { status, body } = await upload([[name, 'named']]);
    expect([status, body.uploaded]).toEqual([200, [at(name)]]);
    expect(await readdir(root)).toEqual([name]);
  });

  it.each(['', '.', '..', '/', 'a/b', '../up', '/etc/passwd', 'nul\0'])(
    'refuses the name %j and stores nothing',
    async (name) => {
      const body = Buffer.from(
        `--b\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\nx\r\n--b--\r\n`,
      );
      const response = await host.gateway.admin.fetch(
        `/api/files/${host.server.id}/upload?path=${encodeURIComponent(root)}`,
        { method: 'POST', body, headers: { 'content-type': 'multipart/form-data; boundary=b' } },
      );
      expect([response.status, (await response.json()).code]).toEqual([400, 'invalid_name']);
      expect(await readdir(root)).toEqual([]);
    },
  );

  it('refuses a name that the host does not accept', async () => {
    expect(outcomeOf(await upload([['x'.repeat(256), 'x']]))).toBe('400 name_too_long');
    expect(await readdir(root)).toEqual([]);
  });

  it('replaces an existing file and keeps its mode, unless overwrite is false', async () => {
    await put('there', 'old', 0o640);
    expect(outcomeOf(await upload([['there', 'new']], { overwrite: 'false' }))).toBe('409 already_exists');
    expect(await readFile(at('there'), 'utf8')).toBe('old');
    expect(outcomeOf(await upload([['there', 'new']]))).toBe('200');
    expect(await readFile(at('there'), 'utf8')).toBe('new');
    expect((await stat(at('there'))).mode & 0o777).toBe(0o640);
    expect(await readdir(root)).toEqual(['there']);
  });

  it('through a link keeps the link', async () => {
    await put('target', 'old');
    await host.link(`case-${count}/link`, 'target');
    expect(outcomeOf(await upload([['link', 'new']]))).toBe('200');
    expect(await readFile(at('target'), 'utf8')).toBe('new');
    expect(await readlink(at('link'))).toBe('target');
  });

  it('never replaces a directory', async () => {
    await host.make(`case-${count}/place`);
    expect(outcomeOf(await upload([['place', 'x']]))).toBe('409 not_a_file');
    expect((await lstat(at('place'))).isDirectory()).toBe(true);
  });

  it.each([
    ['a directory that is missing', '/no/such/place', '404 file_not_found'],
    ['what is no directory', '/etc/hostname', '409 not_a_directory'],
    ['a relative path', 'etc', '400 invalid_path'],
    ['where the account may not write', '/etc', '403 permission_denied'],
  ])('into %s is refused', async (_what, path, expected) => {
    expect(outcomeOf(await upload([['new', 'x']], { path }))).toBe(expected);
  });

  it('keeps the files that were complete before a later one failed, and audits them', async () => {
    await put('there', 'old');
    const files = [
      ['first', 'one'],
      ['there', 'two'],
      ['last', 'three'],
    ] as const;
    expect(outcomeOf(await upload(files, { overwrite: 'false' }))).toBe('409 already_exists');
    expect((await readdir(root)).sort()).toEqual(['first', 'there']);
    const { body } = await host.gateway.admin.call<{ detail: string }[]>(
      'GET',
      `/api/auth/audit?action=sftp_upload&search=${encodeURIComponent(at('first'))}`,
    );
    expect(body.map(({ detail }) => detail)).toEqual([`box (#${host.server.id}): ${at('first')}`]);
  });

  it.each([
    ['JSON', 'application/json', '{}'],
    ['a form without files', 'multipart/form-data; boundary=b', '--b--\r\n'],
    ['half a form', 'multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; fi'],
  ])('of %s is refused', async (_what, type, body) => {
    const path = `/api/files/${host.server.id}/upload?path=${encodeURIComponent(root)}`;
    const init = { method: 'POST', body, headers: { 'content-type': type } };
    const response = await host.gateway.admin.fetch(path, init);
    expect([response.status, (await response.json()).code]).toEqual([400, 'bad_multipart']);
  });

  it('leaves one of two concurrent files, complete', async () => {
    const contents = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(3 * MIB));
    const sent = await Promise.all(contents.map((content) => upload([['raced', content]])));
    expect(sent.map(outcomeOf)).toEqual(['200', '200', '200', '200']);
    expect(contents).toContain(await readFile(at('raced'), 'utf8'));
    expect(await readdir(root)).toEqual(['raced']);
  });
});

interface Begun {
  readonly name: string;
  readonly id?: number;
  readonly path?: string;
  readonly token?: string;
}

/** Sends 8 MiB of a 64 MiB file, then stalls. */
async function beginUpload({ name, id = host.server.id, path = root, token }: Begun) {
  const { port, hostname } = new URL(host.gateway.url);
  const socket = connect(Number(port), hostname);
  const beginning = `--b\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\n`;
  socket.write(
    [
      `POST /api/files/${id}/upload?path=${encodeURIComponent(path)} HTTP/1.1`,
      'Host: gateway',
      `Authorization: Bearer ${token ?? host.gateway.admin.token}`,
      'Content-Type: multipart/form-data; boundary=b',
      `Content-Length: ${64 * MIB}`,
      '',
      beginning,
    ].join('\r\n'),
  );
  if (!socket.write(Buffer.alloc(8 * MIB, 'x'))) await once(socket, 'drain');
  return socket;
}

async function answerOf(socket: Socket): Promise<string> {
  let text = '';
  while (!text.endsWith('}')) text += (await once(socket, 'data'))[0];
  return `${text.slice(9, 12)} ${JSON.parse(text.slice(text.lastIndexOf('\r\n\r\n'))).code}`;
}

/** Resolves when the only file in the directory grows. */
async function untilItGrows(folder = root): Promise<void> {
  const size = async () => {
    const [name] = await readdir(folder);
    return name === undefined ? 0 : (await stat(join(folder, name))).size;
  };
  await expect.poll(size, { timeout: 60_000 }).toBeGreaterThan(MIB);
}

describe('An unfinished upload', () => {
  it.each(['end', 'destroy', 'resetAndDestroy'] as const)(
    'leaves nothing when its sender disconnects by %s',
    async (how) => {
      const socket = await beginUpload({ name: 'aborted' });
      await untilItGrows();
      expect((await readdir(root))[0]).toMatch(/^\.sallyport-/);
      socket[how]();
      await expect.poll(() => readdir(root), { timeout: 60_000 }).toEqual([]);
      socket.destroy();
    },
  );

  it('leaves the file that it would replace unchanged', async () => {
    await put('old', 'kept');
    const socket = await beginUpload({ name: 'old' });
    await expect.poll(async () => (await readdir(root)).length, { timeout: 60_000 }).toBe(2);
    socket.destroy();
    await expect.poll(() => readdir(root), { timeout: 60_000 }).toEqual(['old']);
    expect(await readFile(at('old'), 'utf8')).toBe('kept');
  });

  it('is aborted when its sender loses the right to it', async () => {
    const user = await host.gateway.user({ username: 'leaving', allowed_groups: ['lab'] });
    const me = await user.call<{ id: number }>('GET', '/api/auth/me');
    const socket = await beginUpload({ name: 'revoked', token: user.token });
    await untilItGrows();
    const answered = answerOf(socket);
    await host.gateway.admin.call('PATCH', `/api/auth/users/${me.body.id}`, { disabled: true });
    expect(await answered).toMatch(/^4\d\d /);
    expect(await readdir(root)).toEqual([]);
    socket.destroy();
  });

  it('answers 502 when the host dies, and leaves nothing once the host is back', async () => {
    const dying = await startSshd();
    const { port, username, password, folder } = dying;
    const { id } = await host.gateway.addServer({ name: 'dying', port, username, password });
    const socket = await beginUpload({ name: 'orphan', id, path: folder });
    await untilItGrows(folder);
    const answered = answerOf(socket);
    await dying.killSessions();
    expect(await answered).toBe('502 host_disconnected');
    expect((await host.gateway.admin.call('GET', `/api/files/${id}/ls?path=/`)).status).toBe(200);
    await expect.poll(() => readdir(folder), { timeout: 60_000 }).toEqual([]);
    socket.destroy();
    await dying.stop();
  });
});

describe('An upload limit', () => {
  it('applies to the whole request, announced or sent, and names the variable', async () => {
    const gateway = await startGateway({ env: { SERVICE_MAX_UPLOAD_SIZE: String(3 * MIB) } });
    const { port, username, password } = host.sshd;
    const { id } = await gateway.addServer({ name: 'limited', port, username, password });
    const send = (...sizes: number[]) =>
      upload(
        sizes.map((size, index) => [`f${index}`, new Uint8Array(size)] as const),
        { id, actor: gateway.admin },
      );
    expect(outcomeOf(await send(3 * MIB))).toBe('200');
    expect(outcomeOf(await send(0, 3 * MIB, 0))).toBe('200');
    await rm(root, { recursive: true });
    await host.make(`case-${count}`);
    for (const sizes of [[3 * MIB + 1], [9 * MIB]]) {
      const sent = await send(...sizes);
      expect([sizes, outcomeOf(sent)]).toEqual([sizes, '413 upload_too_large']);
      expect(sent.body.detail).toContain('SERVICE_MAX_UPLOAD_SIZE');
      expect(await readdir(root)).toEqual([]);
    }
    expect(outcomeOf(await send(2 * MIB, MIB, 1))).toBe('413 upload_too_large');
    expect((await readdir(root)).sort()).toEqual(['f0', 'f1']);
    await gateway.close();
  });
});

describe('A full disk', () => {
  let disk: string;
  beforeAll(async () => {
    disk = host.at('disk');
    await mkdir(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk]);
    await chown(disk, host.sshd.uid, host.sshd.uid);
  });
  afterAll(() => {
    execFileSync('umount', ['-l', disk]);
  });

  it('is 507, and leaves no partial file', async () => {
    const sent = await upload([['large', new Uint8Array(12 * MIB)]], { path: disk });
    expect(outcomeOf(sent)).toBe('507 remote_disk_full');
    expect(await readdir(disk)).toEqual([]);
    expect(outcomeOf(await upload([['small', new Uint8Array(MIB)]], { path: disk }))).toBe('200');
  });

  it('leaves the file that would be replaced unchanged', async () => {
    await upload([['kept', 'old text']], { path: disk });
    const sent = await upload([['kept', new Uint8Array(12 * MIB)]], { path: disk });
    expect(outcomeOf(sent)).toBe('507 remote_disk_full');
    expect(await readFile(join(disk, 'kept'), 'utf8')).toBe('old text');
    const filler = await upload([['filler', new Uint8Array(6 * MIB)]], { path: disk });
    expect(outcomeOf(filler)).toBe('200');
    const text = 'x'.repeat(4 * MIB);
    const saved = await host.ask({ verb: 'write', body: { path: join(disk, 'kept'), content: text } });
    expect([saved.status, saved.body['code']]).toEqual([507, 'remote_disk_full']);
    expect(await readFile(join(disk, 'kept'), 'utf8')).toBe('old text');
  });
});
