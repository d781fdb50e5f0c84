import { linkSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SFTPWrapper } from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileSession } from '#core/ports/files.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';
import { startProxy } from '../../../support/hosts/tcp.ts';
import { failureOf, targetTo, worker } from '../../setup.ts';
import { startHostileHost } from '../protocol/hostile-host.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

const MIB = 1024 * 1024;
const session = (host = sshd): Promise<FileSession> => worker().files.open(targetTo(host));

let files = 0;
/** A fresh path in the folder of the account. */
function freshPath(): string {
  files += 1;
  return join(sshd.folder, `file-${files}`);
}

/** A file of the account with this content. */
async function makeFile(content: string): Promise<string> {
  const path = freshPath();
  const file = await (await session()).openWrite(path, { create: 'always' });
  await file.write(0, Buffer.from(content));
  await file.close();
  return path;
}

describe('a file that is open for writing', () => {
  it('takes bytes at any offset, in any order, and has holes between them', async () => {
    const path = freshPath();
    const file = await (await session()).openWrite(path, { create: 'missing' });
    const large = Buffer.alloc(MIB, 'x');
    await Promise.all([
      file.write(5 * MIB, large),
      file.write(2, Buffer.from('two')),
      file.write(3 * MIB - 1, large),
    ]);
    await file.close();
    const expected = Buffer.alloc(6 * MIB);
    expected.write('two', 2);
    large.copy(expected, 5 * MIB);
    large.copy(expected, 3 * MIB - 1);
    expect(readFileSync(path).equals(expected)).toBe(true);
    expect(statSync(path).blocks * 512).toBeLessThan(4 * MIB);
  });

  it('keeps the last of two writes to the same place', async () => {
    const path = await makeFile('');
    const file = await (await session()).openWrite(path);
    await Promise.all(Array.from({ length: 50 }, (_, nth) => file.write(0, Buffer.alloc(64 * 1024, nth))));
    await file.close();
    expect(readFileSync(path).equals(Buffer.alloc(64 * 1024, 49))).toBe(true);
  });

  it('keeps what it had around the written bytes', async () => {
    const path = await makeFile('0123456789');
    const file = await (await session()).openWrite(path);
    expect(file.stat).toMatchObject({ kind: 'file', size: 10 });
    await file.write(3, Buffer.from('abc'));
    await file.close();
    expect(readFileSync(path, 'utf8')).toBe('012abc6789');
  });

  it('is cut off, and extended, after the writes before', async () => {
    const path = await makeFile('');
    const file = await (await session()).openWrite(path);
    const written = file.write(0, Buffer.from('0123456789'));
    await file.truncate(4);
    await written;
    expect(readFileSync(path, 'utf8')).toBe('0123');
    await file.truncate(6);
    await file.close();
    expect(readFileSync(path, 'utf8')).toBe('0123\0\0');
  });

  it('gets its mode and its times', async () => {
    const path = await makeFile('content');
    const file = await (await session()).openWrite(path);
    await file.setAttributes({
      mode: 0o640,
      times: { modified: '2023-11-14T22:13:20Z', accessed: '2001-09-09T01:46:40Z' },
    });
    await file.close();
    const { mode, mtimeMs, atimeMs } = statSync(path);
    expect([mode & 0o7777, mtimeMs, atimeMs]).toEqual([0o640, 1_700_000_000_000, 1_000_000_000_000]);
  });

  it('is written to the disk on demand', async () => {
    const file = await (await session()).openWrite(freshPath(), { create: 'always' });
    void file.write(0, Buffer.alloc(MIB));
    expect(await file.sync()).toBe(true);
    await file.close();
  });

  it('says that the host does not write it to the disk on demand', async () => {
    const bare = await startSshd({ sftp: 'internal-sftp -P fsync' });
    const file = await (await session(bare)).openWrite(join(bare.folder, 'file'), { create: 'always' });
    expect(await file.sync()).toBe(false);
    await file.close();
    await bare.stop();
  });

  it('refuses every change once it is closed, as the host may have given its handle to another file', async () => {
    const [path, other] = [await makeFile('content'), await makeFile('untouched')];
    const remote = await session();
    const file = await remote.openWrite(path);
    await file.close();
    const next = await remote.openWrite(other);
    const mode = 0o600;
    for (const late of [() => file.truncate(0), () => file.setAttributes({ mode }), () => file.sync()])
      expect(await failureOf(late())).toMatchObject({ code: 'internal' });
    await next.close();
    expect(readFileSync(other, 'utf8')).toBe('untouched');
  });

  it('is closed after what was asked for before', async () => {
    const path = await makeFile('content');
    const file = await (await session()).openWrite(path);
    await Promise.all([file.write(0, Buffer.from('CON')), file.truncate(3), file.close()]);
    expect(readFileSync(path, 'utf8')).toBe('CON');
  });

  it('takes no more bytes once it is closed', async () => {
    const file = await (await session()).openWrite(freshPath(), { create: 'always' });
    await file.close();
    expect(await failureOf(file.write(0, Buffer.from('late')))).toMatchObject({ code: 'internal' });
  });

  it('fails with host_disconnected when the line breaks, and lets nobody wait', async () => {
    const proxy = await startProxy(sshd.port);
    const remote = await worker().files.open(targetTo(sshd, { port: proxy.port }));
    const file = await remote.openWrite(freshPath(), { create: 'always' });
    proxy.freeze();
    const writes = Array.from({ length: 8 }, (_, nth) => failureOf(file.write(nth * MIB, Buffer.alloc(MIB))));
    const ready = file.ready();
    proxy.cut();
    const codes = (await Promise.all(writes)).map(({ code }) => code);
    expect(new Set(codes)).toEqual(new Set(['host_disconnected']));
    await ready;
    expect(await failureOf(file.close())).toMatchObject({ code: 'host_disconnected' });
    await proxy.stop();
  });
});

describe('opening a file for writing', () => {
  it('throws file_not_found for a missing file that it may not create', async () => {
    expect(await failureOf((await session()).openWrite(freshPath()))).toMatchObject({
      code: 'file_not_found',
    });
  });

  it('throws already_exists for a file that has to be new', async () => {
    const path = await makeFile('old');
    const opening = (await session()).openWrite(path, { create: 'always' });
    expect(await failureOf(opening)).toMatchObject({ code: 'already_exists' });
    expect(readFileSync(path, 'utf8')).toBe('old');
  });

  it('creates a file with a mode that lets nobody write, and writes it', async () => {
    const path = freshPath();
    const file = await (await session()).openWrite(path, { create: 'missing', mode: 0o444 });
    await file.write(0, Buffer.from('object'));
    await file.close();
    expect(readFileSync(path, 'utf8')).toBe('object');
    expect(statSync(path).mode & 0o777).toBe(0o444);
  });

  it('removes the old content only on demand', async () => {
    const path = await makeFile('old content');
    const remote = await session();
    await (await remote.openWrite(path, { create: 'missing' })).close();
    expect(readFileSync(path, 'utf8')).toBe('old content');
    await (await remote.openWrite(path, { create: 'missing', is_emptied: true })).close();
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it('refuses a file with a second name where paths are confined', async () => {
    const path = await makeFile('shared');
    linkSync(path, freshPath());
    expect(await failureOf((await session()).openWrite(path))).toMatchObject({ code: 'permission_denied' });
    const free = await worker().files.open(targetTo(sshd), { is_confined: false });
    await (await free.openWrite(path)).close();
  });

  it('refuses a directory', async () => {
    const opening = (await session()).openWrite(sshd.folder, { create: 'missing' });
    expect(await failureOf(opening)).toMatchObject({ code: 'not_a_file' });
  });

  it('refuses a file of another account', async () => {
    const path = freshPath();
    writeFileSync(path, 'root');
    expect(await failureOf((await session()).openWrite(path))).toMatchObject({ code: 'permission_denied' });
  });
});

const FILE = { mode: 0o100644, size: 0, uid: 0, gid: 0, atime: 0, mtime: 0 };

/** A host that answers no WRITE until it is told to. */
function slowWriter() {
  const unanswered: (() => void)[] = [];
  let in_flight_bytes = 0;
  let most_bytes = 0;
  let is_released = false;
  return {
    most_bytes: () => most_bytes,
    unanswered: () => unanswered.length,
    release() {
      is_released = true;
      for (const answer of unanswered.splice(0)) answer();
    },
    sftp(sftp: SFTPWrapper) {
      sftp.on('REALPATH', (id, path) => sftp.name(id, [{ filename: path, longname: '', attrs: FILE }]));
      sftp.on('STAT', (id) => sftp.attrs(id, FILE));
      sftp.on('LSTAT', (id) => sftp.attrs(id, FILE));
      sftp.on('FSTAT', (id) => sftp.attrs(id, FILE));
      sftp.on('OPEN', (id) => sftp.handle(id, Buffer.from('handle')));
      sftp.on('CLOSE', (id) => sftp.status(id, 0));
      sftp.on('WRITE', (id, _handle, _offset, { length }) => {
        in_flight_bytes += length;
        most_bytes = Math.max(most_bytes, in_flight_bytes);
        const answer = () => {
          in_flight_bytes -= length;
          sftp.status(id, 0);
        };
        if (is_released) answer();
        else unanswered.push(answer);
      });
    },
  };
}

describe('a host that is slow to write', () => {
  it('gets a limited number of bytes before it answers', async () => {
    const writer = slowWriter();
    const host = await startHostileHost(writer);
    const remote = await worker().files.open(host.target, { is_confined: false });
    const file = await remote.openWrite('/file');
    const writes = Array.from({ length: 8 }, (_, nth) => file.write(nth * MIB, Buffer.alloc(MIB)));
    let is_ready = false;
    const ready = file.ready().then(() => {
      is_ready = true;
    });
    await expect.poll(() => writer.unanswered()).toBeGreaterThan(0);
    await remote.statOf('/file'); // on another channel, behind what has been sent
    expect([is_ready, writer.most_bytes() < MIB]).toEqual([false, true]);
    writer.release();
    await Promise.all(writes);
    await ready;
    await file.close();
    await host.stop();
  });
});
