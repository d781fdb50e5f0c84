import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { DirectoryEntry } from '#core/model/files/directory-entry.ts';
import type { FileSession } from '#core/ports/files.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { failureOf, targetTo, worker } from '../setup.ts';
import { DIR, startSwappingHost } from './swapping-host.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

const session = (): Promise<FileSession> => worker().files.open(targetTo(sshd));

const MIB = 1024 * 1024;
let folders = 0;
/** A fresh directory on the host; the test process is root, the account may only read. */
function makeFolder(): string {
  folders += 1;
  const path = join(sshd.folder, `case-${folders}`);
  mkdirSync(path);
  return path;
}

async function listed(path: string): Promise<Record<string, DirectoryEntry>> {
  const entries = await (await session()).list(path);
  return Object.fromEntries(entries.map((entry) => [entry.name, entry]));
}

describe('listing', () => {
  it('describes files with size, long permissions, numeric owners and whole seconds', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'notes.txt'), 'twelve bytes');
    chmodSync(join(folder, 'notes.txt'), 0o640);
    utimesSync(join(folder, 'notes.txt'), 1_700_000_000, 1_700_000_000);
    expect(await listed(folder)).toEqual({
      'notes.txt': {
        name: 'notes.txt',
        path: join(folder, 'notes.txt'),
        is_dir: false,
        is_symlink: false,
        link_target: null,
        size: 12,
        permissions: '-rw-r-----',
        owner: '0',
        group: '0',
        modified: '2023-11-14T22:13:20Z',
        addressable: true,
      },
    });
  });

  it('follows links for is_dir and fills in their targets', async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'real'));
    symlinkSync('real', join(folder, 'to-directory'));
    symlinkSync('/etc/hostname', join(folder, 'to-file'));
    symlinkSync('nowhere', join(folder, 'dangling'));
    symlinkSync('loop', join(folder, 'loop'));
    const entries = await listed(folder);
    expect(entries['real']).toMatchObject({ is_dir: true, is_symlink: false, link_target: null });
    expect(entries['to-directory']).toMatchObject({ is_dir: true, is_symlink: true, link_target: 'real' });
    expect(entries['to-file']).toMatchObject({ is_dir: false, link_target: '/etc/hostname' });
    expect(entries['dangling']).toMatchObject({ is_dir: false, is_symlink: true, link_target: 'nowhere' });
    expect(entries['loop']).toMatchObject({ is_dir: false, is_symlink: true, link_target: 'loop' });
  });

  it('lists FIFOs, sockets and devices', async () => {
    const folder = makeFolder();
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    execFileSync('mknod', [join(folder, 'null'), 'c', '1', '3']);
    const server = createServer().listen(join(folder, 'socket'));
    const entries = await listed(folder).finally(() => server.close());
    expect(Object.entries(entries).map(([name, { permissions }]) => [name, permissions[0]])).toEqual(
      expect.arrayContaining([
        ['fifo', 'p'],
        ['null', 'c'],
        ['socket', 's'],
      ]),
    );
  });

  it.each([
    [0o4755, '-rwsr-xr-x'],
    [0o4644, '-rwSr--r--'],
    [0o2755, '-rwxr-sr-x'],
    [0o2644, '-rw-r-Sr--'],
    [0o1755, '-rwxr-xr-t'],
    [0o1644, '-rw-r--r-T'],
    [0o0000, '----------'],
  ])('formats mode %o as %s', async (mode, permissions) => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'file'), '');
    chmodSync(join(folder, 'file'), mode);
    expect((await listed(folder))['file']?.permissions).toBe(permissions.replace('rwS', 'rwS'));
  });

  it('keeps unusual names unchanged', async () => {
    const folder = makeFolder();
    const names = [
      'new\nline',
      '"quoted" \'twice\'',
      '-rf',
      ' spaces ',
      '日本語 🎉',
      'x'.repeat(255),
      '\\',
      '%2e',
    ];
    for (const name of names) writeFileSync(join(folder, name), name);
    const entries = await listed(folder);
    expect(Object.keys(entries).sort()).toEqual([...names].sort());
    const remote = await session();
    for (const name of names) {
      const file = await remote.openRead(join(folder, name));
      expect(Buffer.from(await file.readAll(1000)).toString()).toBe(name);
    }
  });

  it('lists a hundred thousand entries', { timeout: 180_000 }, async () => {
    const folder = makeFolder();
    execFileSync('sh', ['-c', 'seq -f file-%g 1 100000 | xargs touch'], { cwd: folder });
    const remote = await session();
    const entries = await remote.list(folder);
    expect(new Set(entries.map(({ name }) => name)).size).toBe(100_000);
  });

  it('lists an empty directory and the root, with the names of owners', async () => {
    const remote = await session();
    expect(await remote.list(makeFolder())).toEqual([]);
    const names = { users: new Map<string, string>(), groups: new Map<string, string>() };
    const listed = await remote.list('/', { names });
    expect([names.users.get('0'), names.groups.get('0')]).toEqual(['root', 'root']);
    expect(listed.find(({ name }) => name === 'etc')?.path).toBe('/etc');
  });
});

describe('names that are not UTF-8', () => {
  const bytes = (folder: string, ...name: number[]) =>
    Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name)]);

  it('are told apart, from each other and from a real replacement character', async () => {
    const folder = makeFolder();
    writeFileSync(bytes(folder, 0x61, 0xff), 'first');
    writeFileSync(join(folder, 'a\ufffd'), 'the real one');
    writeFileSync(bytes(folder, 0x61, 0xfe), 'third');
    writeFileSync(join(folder, 'a%FF'), 'the escape');
    const remote = await session();
    const contents = new Map<string, string>();
    for (const { path, addressable } of await remote.list(folder)) {
      const content = await (await remote.openRead(path)).readAll(100);
      contents.set(path, `${addressable} ${Buffer.from(content)}`);
    }
    expect(contents).toEqual(
      new Map([
        [`bytes:${folder}/a%FF`, 'true first'],
        [`bytes:${folder}/a%FE`, 'true third'],
        [`${folder}/a\ufffd`, 'true the real one'],
        [`${folder}/a%FF`, 'true the escape'],
      ]),
    );
  });

  it('are resolved by the server, also through links', async () => {
    const folder = makeFolder();
    mkdirSync(bytes(folder, 0xe9));
    writeFileSync(bytes(folder, 0xe9, 0x2f, 0xfc), '');
    symlinkSync(Buffer.from([0xe9, 0x2f, 0xfc]), join(folder, 'link'));
    const remote = await session();
    expect(await remote.realpath(join(folder, 'link'))).toBe(`bytes:${folder}/%E9/%FC`);
    expect(await remote.entry(join(folder, 'link'))).toMatchObject({ link_target: '\udce9/\udcfc' });
  });

  it('are refused with a clear error when they are copied from where they are shown', async () => {
    const folder = makeFolder();
    writeFileSync(bytes(folder, 0xe9), '');
    const remote = await session();
    const refusal = {
      code: 'unaddressable_name',
      detail: expect.stringContaining('addressed by the `path` of its entry'),
    };
    expect(await failureOf(remote.openRead(join(folder, '\ufffd')))).toMatchObject(refusal);
    expect(await failureOf(remote.entry(join(folder, '\ufffd')))).toMatchObject(refusal);
  });
});

describe('one path', () => {
  it('is described without following the link', async () => {
    const folder = makeFolder();
    symlinkSync('/etc', join(folder, 'link'));
    expect(await (await session()).entry(join(folder, 'link'))).toMatchObject({
      name: 'link',
      path: join(folder, 'link'),
      is_dir: true,
      is_symlink: true,
      link_target: '/etc',
      permissions: 'lrwxrwxrwx',
    });
  });

  it('is resolved by the server', async () => {
    const folder = makeFolder();
    symlinkSync('/etc', join(folder, 'link'));
    const remote = await session();
    expect(await remote.realpath(join(folder, 'link/./hostname'))).toBe('/etc/hostname');
    expect(await remote.realpath('/')).toBe('/');
  });

  it('is file_not_found when it does not exist, a dangling link included', async () => {
    const folder = makeFolder();
    symlinkSync('nowhere', join(folder, 'dangling'));
    const remote = await session();
    const missing = { code: 'file_not_found' };
    expect(await failureOf(remote.realpath(join(folder, 'missing')))).toMatchObject(missing);
    expect(await failureOf(remote.realpath(join(folder, 'dangling')))).toMatchObject(missing);
    expect(await failureOf(remote.entry(join(folder, 'missing')))).toMatchObject(missing);
    expect(await failureOf(remote.list(join(folder, 'missing')))).toMatchObject(missing);
    expect(await failureOf(remote.openRead(join(folder, 'missing')))).toMatchObject(missing);
  });

  it('is permission_denied where the account has no access', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'secret'), 'x');
    chmodSync(join(folder, 'secret'), 0o600);
    mkdirSync(join(folder, 'closed'), 0o700);
    const remote = await session();
    expect(await failureOf(remote.openRead(join(folder, 'secret')))).toMatchObject({
      code: 'permission_denied',
    });
    expect(await failureOf(remote.list(join(folder, 'closed')))).toMatchObject({ code: 'permission_denied' });
  });

  it('is not_a_directory when a file is listed', async () => {
    expect(await failureOf((await session()).list('/etc/hostname'))).toMatchObject({
      code: 'not_a_directory',
    });
  });
});

describe('a file that is not regular', () => {
  it('is refused without being opened', async () => {
    const folder = makeFolder();
    execFileSync('mkfifo', ['-m', '666', join(folder, 'fifo')]);
    const remote = await session();
    expect(await failureOf(remote.openRead(join(folder, 'fifo')))).toMatchObject({ code: 'not_a_file' });
    expect(await failureOf(remote.openRead('/dev/zero'))).toMatchObject({ code: 'not_a_file' });
    expect(await failureOf(remote.openRead(folder))).toMatchObject({ code: 'not_a_file' });
    // An open FIFO would block the server, and with it every other request, until a writer came.
    await expect(remote.openRead('/etc/hostname')).resolves.toBeDefined();
  });

  it('is refused through a link too', async () => {
    const folder = makeFolder();
    symlinkSync('/dev/zero', join(folder, 'zero'));
    expect(await failureOf((await session()).openRead(join(folder, 'zero')))).toMatchObject({
      code: 'not_a_file',
    });
  });
});

describe('a directory that is replaced with a link after its path was checked', () => {
  it.each(['read', 'listed'])('is refused as path_outside_allowed when %s', async (how) => {
    const folder = makeFolder();
    for (const name of ['inside', 'secret']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'notes.txt'), name);
    }
    const remote = await session();
    const real = await remote.realpath(join(folder, 'inside'));
    renameSync(join(folder, 'inside'), join(folder, 'parked'));
    symlinkSync('secret', join(folder, 'inside'));
    const work = how === 'read' ? remote.openRead(join(real, 'notes.txt')) : remote.list(real);
    expect(await failureOf(work)).toMatchObject({ code: 'path_outside_allowed' });
  });

  it('never exposes anything, however often it is swapped', async () => {
    const folder = makeFolder();
    for (const name of ['inside', 'secret']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'inside', 'notes.txt'), 'inside');
    writeFileSync(join(folder, 'secret', 'notes.txt'), 'top secret');
    const remote = await session();
    const swapping = spawn(process.execPath, ['-e', SWAP], { cwd: folder });
    const seen = new Set<string>();
    const until_ms = Date.now() + 3000;
    while (Date.now() < until_ms) {
      const file = await remote.openRead(join(folder, 'inside', 'notes.txt')).catch(() => undefined);
      if (file) seen.add(Buffer.from(await file.readAll(100)).toString());
    }
    swapping.kill('SIGKILL');
    await once(swapping, 'exit');
    expect([...seen]).toEqual(['inside']);
  });

  it.each(['/proc/self/status', '/proc/uptime', '/sys/kernel/uevent_seqnum'])(
    'is not assumed for %s',
    async (path) => {
      const remote = await session();
      const file = await remote.openRead(await remote.realpath(path));
      expect((await file.readAll(10_000)).length).toBeGreaterThan(0);
    },
  );

  it('is not assumed for a file that grows', async () => {
    const path = join(makeFolder(), 'log');
    writeFileSync(path, '');
    const writing = spawn('sh', ['-c', 'while :; do echo line; done >> "$0"', path]);
    const remote = await session();
    for (let times = 0; times < 300; times += 1) await (await remote.openRead(path)).close();
    writing.kill('SIGKILL');
    await once(writing, 'exit');
  });
});

describe('a file that is replaced while it is being opened', () => {
  it('is read as it was before or after, and never refused as outside', async () => {
    const folder = makeFolder();
    const path = join(folder, 'notes.txt');
    writeFileSync(path, 'old');
    const remote = await session();
    const saving = spawn(process.execPath, ['-e', SAVE], { cwd: folder });
    const seen = new Set<string>();
    for (let times = 0; times < 200; times += 1) seen.add(await readOrRefusal(remote, path));
    saving.kill('SIGKILL');
    await once(saving, 'exit');
    expect([...seen].sort()).toEqual(expect.arrayContaining(['new ones', 'old']));
    seen.delete('file_busy'); // Each time it was opened.
    expect(seen.size).toBe(2);
  });

  it('is read as it was when it was opened, on every channel', async () => {
    const folder = makeFolder();
    const path = join(folder, 'large');
    writeFileSync(path, Buffer.alloc(24 * MIB, 'a'));
    const file = await (await session()).openRead(path);
    writeFileSync(join(folder, 'part'), Buffer.alloc(24 * MIB + 1, 'b'));
    renameSync(join(folder, 'part'), path);
    expect(Buffer.from(await file.readAll(32 * MIB)).equals(Buffer.alloc(24 * MIB, 'a'))).toBe(true);
  });

  it('is file_busy when it is replaced at each check', async () => {
    const { session: remote, open } = await startSwappingHost({
      opened: { mode: 0o100600, uid: 0, gid: 0, size: 1, atime: 0, mtime: 0 },
    });
    expect(await failureOf(remote.openRead(`${DIR}/f0`))).toMatchObject({ code: 'file_busy' });
    await expect.poll(open).toBe(0);
  });
});

async function readOrRefusal(remote: FileSession, path: string): Promise<string> {
  try {
    return Buffer.from(await (await remote.openRead(path)).readAll(100)).toString();
  } catch (error) {
    return error instanceof Fault ? error.code : String(error);
  }
}

const SAVE = `
const { renameSync, writeFileSync } = require('node:fs');
for (let turn = 0; ; turn += 1) {
  writeFileSync('part', turn % 2 ? 'old' : 'new ones');
  renameSync('part', 'notes.txt');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, turn % 5);
}`;

const SWAP = `
const { renameSync, symlinkSync } = require('node:fs');
symlinkSync('secret', 'link');
for (;;) {
  renameSync('inside', 'parked');
  renameSync('link', 'inside');
  renameSync('inside', 'link');
  renameSync('parked', 'inside');
}`;
