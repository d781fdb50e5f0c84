import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { ArchiveRoot, FileSession } from '#core/ports/files.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';
import { failureOf, NEVER, targetTo, worker } from '../../setup.ts';
import { HOSTILE_NAMES, pathOf, plant } from '../trees.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

const session = (): Promise<FileSession> => worker().files.open(targetTo(sshd));
const MIB = 1024 * 1024;

async function archive(roots: readonly ArchiveRoot[], signal = NEVER): Promise<ReadableStream<Uint8Array>> {
  const remote = await session();
  const stream = remote.archive(roots, { signal });
  remote.release(); // The archive holds its own reference.
  return stream;
}

interface Told {
  readonly name: string;
  readonly mode: number;
  readonly size: number;
  readonly type: number;
  readonly sha256: string;
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  return Buffer.from(await new Response(stream).arrayBuffer());
}

const SCRIPT = `import hashlib, json, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
print(json.dumps([dict(name=i.filename, mode=i.external_attr >> 16 & 0o7777, size=i.file_size,
  type=i.compress_type, sha256=hashlib.sha256(z.read(i)).hexdigest()) for i in z.infolist()]))`;

/** The contents according to Python's zipfile and unzip. */
function inspect(bytes: Buffer): { members: Record<string, Told>; skipped: string } {
  const path = join(plant(sshd), 'archive.zip');
  writeFileSync(path, bytes);
  execFileSync('unzip', ['-tqq', path], { env: { ...process.env, LC_ALL: 'C.UTF-8' } });
  const told: Told[] = JSON.parse(execFileSync('python3', ['-c', SCRIPT, path]).toString());
  const members = Object.fromEntries(told.map((member) => [member.name, member]));
  const skipped = members['_skipped.txt']
    ? execFileSync('unzip', ['-p', path, '_skipped.txt']).toString()
    : '';
  expect(told.length).toBe(Object.keys(members).length);
  return { members, skipped };
}

const zipped = async (...roots: ArchiveRoot[]) => inspect(await collect(await archive(roots)));
const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

async function isOpen(folder: string): Promise<boolean> {
  for (const pid of await sshd.sessionProcesses()) {
    const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const name of names) {
      const path = await readlink(`/proc/${pid}/fd/${name}`).catch(() => '');
      if (path.startsWith(folder)) return true;
    }
  }
  return false;
}

const closed = (folder: string) => eventually(async () => expect(await isOpen(folder)).toBe(false));

describe('an archive of a host', () => {
  it('contains files, directories and empty directories with their modes', async () => {
    const folder = plant(
      sshd,
      'mkdir -p a/b empty; echo hello > a/b/file; chmod 640 a/b/file; chmod 700 a; : > none',
    );
    const { members } = await zipped({ path: folder, name: '' });
    expect(Object.keys(members).sort()).toEqual(['a/', 'a/b/', 'a/b/file', 'empty/', 'none']);
    expect(members['a/b/file']).toMatchObject({ mode: 0o640, size: 6, sha256: sha256('hello\n') });
    expect(members['a/']?.mode).toBe(0o700);
  });

  it('is rooted at the given names, and a single file has its own name', async () => {
    const folder = plant(sshd, 'mkdir -p one/sub two; echo 1 > one/sub/f; echo 2 > two/f; echo 3 > single');
    const { members } = await zipped(
      { path: join(folder, 'one'), name: 'one' },
      { path: join(folder, 'two'), name: 'deep/two (2)' },
      { path: join(folder, 'single'), name: '' },
    );
    expect(Object.keys(members).sort()).toEqual(
      ['deep/two (2)/', 'deep/two (2)/f', 'one/', 'one/sub/', 'one/sub/f', 'single'].sort(),
    );
  });

  it('contains small, medium and large files unchanged', async () => {
    const folder = plant(sshd);
    const contents: Record<string, Buffer> = {};
    for (const size of [0, 1, 4096, 65_536, 260_097, MIB - 1, MIB, MIB + 1, 5 * MIB + 17]) {
      contents[`noise-${size}`] = randomBytes(size);
      contents[`text-${size}`] = Buffer.alloc(size, 'lorem ipsum ');
    }
    for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, name), content);
    const { members } = await zipped({ path: folder, name: '' });
    expect(Object.keys(members)).toHaveLength(18);
    for (const [name, content] of Object.entries(contents)) {
      expect([name, members[name]?.sha256]).toEqual([name, sha256(content)]);
    }
  });

  it('deflates text and stores what is already compressed, whatever its size', async () => {
    const folder = plant(sshd);
    for (const size of [2000, 3 * MIB]) {
      writeFileSync(join(folder, `text-${size}`), Buffer.alloc(size, 'lorem ipsum '));
      writeFileSync(join(folder, `noise-${size}`), randomBytes(size));
      writeFileSync(join(folder, `photo-${size}.jpg`), Buffer.alloc(size));
    }
    const { members } = await zipped({ path: folder, name: '' });
    const types = Object.values(members).map(({ name, type }) => [name.split('-')[0], type]);
    expect(types.sort()).toEqual([
      ['noise', 0],
      ['noise', 0],
      ['photo', 0],
      ['photo', 0],
      ['text', 8],
      ['text', 8],
    ]);
  });

  it('contains thousands of files', async () => {
    const folder = plant(
      sshd,
      'mkdir d{1..30}; for d in d*; do (cd $d; seq 100 | split -l 1 -a 3 - f); done',
    );
    const { members, skipped } = await zipped({ path: folder, name: 'all' });
    expect([Object.keys(members).length, skipped]).toEqual([3031, '']);
  });

  it('reads files that claim to be empty and are not', async () => {
    const { members } = await zipped({ path: '/proc/version', name: '' });
    expect(members['version']?.size).toBeGreaterThan(10);
  });

  it('sanitises names, so that none leads outside where it is unpacked', async () => {
    const folder = plant(sshd);
    for (const name of HOSTILE_NAMES) writeFileSync(join(folder, name), name);
    const { members } = await zipped({ path: folder, name: '' });
    const names = Object.keys(members);
    expect(names).toHaveLength(HOSTILE_NAMES.length);
    expect(
      names.filter((name) => /^\/|\\|^[A-Za-z]:|\p{Cc}/u.test(name) || name.split('/').includes('..')),
    ).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['back_slash', 'C_', 'new_line', '...', 'x'.repeat(255)]));
  });
});

describe('names in an archive that are not UTF-8', () => {
  it('have escapes, and stay apart', async () => {
    const folder = plant(sshd);
    mkdirSync(pathOf(folder, 'caf\xe9'));
    for (const name of ['caf\xe9/\xff 🎉', 'caf\xe9/100%', 'a\xfe', 'a\xff', 'a%FE']) {
      writeFileSync(pathOf(folder, name), name);
    }
    const { members } = await zipped({ path: folder, name: 'top' });
    const content = (name: string) => members[name]?.sha256;
    expect(Object.keys(members)).toHaveLength(7);
    expect(content('top/caf%E9/100%')).toBe(sha256('caf\xe9/100%'));
    expect(new Set([content('top/a%FE'), content('top/a%FE (2)'), content('top/a%FF')])).toEqual(
      new Set(['a\xfe', 'a%FE', 'a\xff'].map((text) => sha256(text))),
    );
  });

  it('have escapes in _skipped.txt', async () => {
    const folder = plant(sshd);
    symlinkSync('nowhere', pathOf(folder, 'caf\xe9'));
    const { skipped } = await zipped({ path: folder, name: 'top' });
    expect(skipped).toBe('top/caf%E9 — a symbolic link, which is not followed\n');
  });
});

describe('what an archive leaves out', () => {
  it('is listed in _skipped.txt', async () => {
    const folder = plant(
      sshd,
      'mkdir closed fine; touch secret fine/f; ln -s /etc/passwd link; ln -s . loop; mkfifo pipe',
    );
    execFileSync('sh', ['-c', 'chown root: closed secret; chmod 700 closed; chmod 600 secret'], {
      cwd: folder,
    });
    const { members, skipped } = await zipped({ path: folder, name: 'top' });
    expect(Object.keys(members).sort()).toEqual([
      '_skipped.txt',
      'top/',
      'top/closed/',
      'top/fine/',
      'top/fine/f',
    ]);
    expect(skipped.trim().split('\n').sort()).toEqual([
      'top/closed — Permission denied by the server',
      'top/link — a symbolic link, which is not followed',
      'top/loop — a symbolic link, which is not followed',
      'top/pipe — neither a file nor a directory',
      'top/secret — Permission denied by the server',
    ]);
  });

  it('does not overwrite a file with its own name', async () => {
    const folder = plant(sshd, 'echo mine > _skipped.txt; ln -s nowhere link');
    const { members } = await zipped({ path: folder, name: '' });
    expect(Object.keys(members).sort()).toEqual(['_skipped (2).txt', '_skipped.txt']);
    expect(members['_skipped.txt']?.sha256).toBe(sha256('mine\n'));
  });

  it('lists a file that vanished before it was read', async () => {
    const folder = plant(
      sshd,
      'cd "$PWD"; mkdir many; head -c 2000000 /dev/urandom | split -b 4000 -a 3 - many/f',
    );
    const reader = (await archive([{ path: join(folder, 'many'), name: '' }])).getReader();
    const first = await reader.read();
    rmSync(join(folder, 'many'), { recursive: true });
    const { members, skipped } = inspect(await rest(reader, first.value));
    expect(skipped).toContain('— No such file or directory');
    expect(Object.keys(members).length - 1 + skipped.trim().split('\n').length).toBe(500);
  });

  it('lists a file that was replaced with a link', async () => {
    const folder = plant(
      sshd,
      'mkdir many; echo "top secret" > secret; head -c 2000000 /dev/urandom | split -b 4000 -a 3 - many/f',
    );
    const reader = (await archive([{ path: join(folder, 'many'), name: '' }])).getReader();
    const first = await reader.read();
    for (const name of readdirSync(join(folder, 'many'))) {
      rmSync(join(folder, 'many', name));
      symlinkSync('../secret', join(folder, 'many', name));
    }
    const { members, skipped } = inspect(await rest(reader, first.value));
    expect(Object.values(members).filter((member) => member.sha256 === sha256('top secret\n'))).toEqual([]);
    expect(skipped).toContain('— The path changed while it was being opened');
  });

  it('lists the contents of a directory that became a link', async () => {
    const folder = plant(
      sshd,
      'mkdir many secret; for i in $(seq 500); do echo secret > secret/f$i; head -c 4000 /dev/urandom > many/f$i; done',
    );
    const reader = (await archive([{ path: join(folder, 'many'), name: '' }])).getReader();
    const first = await reader.read();
    renameSync(join(folder, 'many'), join(folder, 'parked'));
    symlinkSync('secret', join(folder, 'many'));
    const { members } = inspect(await rest(reader, first.value));
    expect(Object.values(members).filter((member) => member.sha256 === sha256('secret\n'))).toEqual([]);
  });

  it('lists the end of a file that shrank while it was read', async () => {
    const folder = plant(sshd, 'head -c 30000000 /dev/urandom > large');
    const reader = (await archive([{ path: folder, name: '' }])).getReader();
    const first = await reader.read();
    truncateSync(join(folder, 'large'), MIB);
    const { members, skipped } = inspect(await rest(reader, first.value));
    expect(members['large']?.size).toBeLessThan(30_000_000);
    expect(skipped).toMatch(/^large — only in part: /);
  });
});

async function rest(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  first: Uint8Array = new Uint8Array(),
): Promise<Buffer> {
  const parts: Uint8Array[] = [first];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(parts);
    parts.push(value);
  }
}

describe('an interrupted archive', () => {
  const LARGE = 'mkdir sub; head -c 40000000 /dev/urandom > large; cp large sub/other; touch sub/f{1..2000}';

  it('closes its open files when it is cancelled', async () => {
    const folder = plant(sshd, LARGE);
    const reader = (await archive([{ path: folder, name: '' }])).getReader();
    for (let pieces = 0; pieces < 3; pieces += 1) await reader.read();
    await reader.cancel();
    await closed(folder);
  });

  it('closes its open files when it is aborted, and fails with the reason', async () => {
    const folder = plant(sshd, LARGE);
    const controller = new AbortController();
    const reader = (await archive([{ path: folder, name: '' }], controller.signal)).getReader();
    for (let pieces = 0; pieces < 3; pieces += 1) await reader.read();
    controller.abort(new Fault('session_not_found'));
    expect(await failureOf(rest(reader))).toMatchObject({ code: 'session_not_found' });
    await closed(folder);
  });

  it('leaves nothing open when it completes', async () => {
    const folder = plant(sshd, LARGE);
    await collect(await archive([{ path: folder, name: '' }]));
    await closed(folder);
  });

  it.each(['large', 'sub'])('fails when the host is lost, and never looks complete: %s', async (name) => {
    const own = await startSshd();
    const folder = plant(own, LARGE);
    const remote = await worker().files.open(targetTo(own));
    const reader = remote.archive([{ path: join(folder, name), name: '' }], { signal: NEVER }).getReader();
    await reader.read();
    await own.killSessions();
    expect(await failureOf(rest(reader))).toMatchObject({ code: 'host_disconnected' });
    await own.stop();
  });
});
