import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { FileSession } from '#core/ports/files.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';
import { failureOf, NEVER, targetTo, worker } from '../../setup.ts';
import { HOSTILE_NAMES, pathOf, plant } from '../trees.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

const session = (): Promise<FileSession> => worker().files.open(targetTo(sshd));
const keep = { overwrite: false };
const over = { overwrite: true };
const calm = { signal: NEVER };

/** A signal that aborts as soon as a directory changes. */
function abortOnceChanged(folder: string): AbortSignal {
  const controller = new AbortController();
  const before = readdirSync(folder).length;
  const look = () => {
    if (readdirSync(folder).length < before) controller.abort(new Fault('session_not_found'));
    else setImmediate(look);
  };
  look();
  return controller.signal;
}

describe('looking up one entry', () => {
  it('returns kind, size, mode and time of the link itself, and undefined for a missing entry', async () => {
    const folder = plant(sshd, 'echo hello > file; chmod 4640 file; ln -s file link; mkfifo pipe');
    const remote = await session();
    expect(await remote.statOf(join(folder, 'file'))).toMatchObject({
      kind: 'file',
      size: 6,
      mode: 0o4640 & 0o777,
    });
    expect(await remote.statOf(join(folder, 'link'))).toMatchObject({ kind: 'symlink' });
    expect(await remote.statOf(join(folder, 'pipe'))).toMatchObject({ kind: 'other' });
    expect(await remote.statOf(join(folder, 'missing'))).toBeUndefined();
  });
});

describe('creating a directory', () => {
  it('creates it', async () => {
    const path = join(plant(sshd), 'new');
    await (await session()).makeDirectory(path);
    expect(statSync(path).isDirectory()).toBe(true);
  });

  it.each([
    ['a directory', 'mkdir taken'],
    ['a file', 'touch taken'],
    ['a link to nowhere', 'ln -s nowhere taken'],
  ])('is already_exists where there is %s', async (_what, script) => {
    const folder = plant(sshd, script);
    expect(await failureOf((await session()).makeDirectory(join(folder, 'taken')))).toMatchObject({
      code: 'already_exists',
    });
  });

  it('is refused without a parent, without permission, and with too long a name', async () => {
    const remote = await session();
    const code = async (path: string) => (await failureOf(remote.makeDirectory(path))).code;
    const folder = plant(sshd);
    expect(await code(join(folder, 'no/parent'))).toBe('file_not_found');
    expect(await code(join(plant(sshd, '', 'root'), 'denied'))).toBe('permission_denied');
    expect(await code(join(folder, 'x'.repeat(256)))).toBe('name_too_long');
  });

  it('is path_outside_allowed when its parent has become a link', async () => {
    const folder = plant(sshd, 'mkdir parent secret; mv parent parked; ln -s secret parent');
    expect(await failureOf((await session()).makeDirectory(join(folder, 'parent/new')))).toMatchObject({
      code: 'path_outside_allowed',
    });
    expect(readdirSync(join(folder, 'secret'))).toEqual([]);
  });
});

describe('renaming', () => {
  it('moves files, directories and links themselves', async () => {
    const folder = plant(sshd, 'echo a > file; mkdir -p dir/sub; ln -s /etc link; mkdir into');
    const remote = await session();
    for (const name of ['file', 'dir', 'link']) {
      await remote.rename(join(folder, name), join(folder, 'into', name), keep);
    }
    expect(readdirSync(folder)).toEqual(['into']);
    expect(lstatSync(join(folder, 'into/link')).isSymbolicLink()).toBe(true);
  });

  it.each([
    ['a file onto a file', 'touch from to'],
    ['a directory onto an empty directory', 'mkdir from to'],
    ['a file onto a directory', 'touch from; mkdir to'],
    ['a file onto a dangling link', 'touch from; ln -s nowhere to'],
  ])('without overwrite is already_exists: %s', async (_what, script) => {
    const folder = plant(sshd, script);
    const work = (await session()).rename(join(folder, 'from'), join(folder, 'to'), keep);
    expect(await failureOf(work)).toMatchObject({ code: 'already_exists' });
    expect(readdirSync(folder).sort()).toEqual(['from', 'to']);
  });

  it.each([
    ['a directory onto one that is not empty', 'mkdir from to; touch to/inside'],
    ['a file onto a directory', 'touch from; mkdir to'],
    ['a directory onto a file', 'mkdir from; touch to'],
  ])('with overwrite is still already_exists: %s', async (_what, script) => {
    const folder = plant(sshd, script);
    const work = (await session()).rename(join(folder, 'from'), join(folder, 'to'), over);
    expect(await failureOf(work)).toMatchObject({ code: 'already_exists' });
  });

  it('with overwrite replaces a file, an empty directory, and a link rather than its target', async () => {
    const folder = plant(
      sshd,
      'echo new > a; echo old > b; mkdir c d; touch c/x; echo n > e; touch t; ln -s t f',
    );
    const remote = await session();
    await remote.rename(join(folder, 'a'), join(folder, 'b'), over);
    await remote.rename(join(folder, 'c'), join(folder, 'd'), over);
    await remote.rename(join(folder, 'e'), join(folder, 'f'), over);
    expect(readFileSync(join(folder, 'b'), 'utf8')).toBe('new\n');
    expect(readdirSync(join(folder, 'd'))).toEqual(['x']);
    expect(lstatSync(join(folder, 'f')).isFile()).toBe(true);
    expect(readFileSync(join(folder, 't'), 'utf8')).toBe('');
  });

  it('to itself changes nothing', async () => {
    const folder = plant(sshd, 'echo kept > file');
    const remote = await session();
    await remote.rename(join(folder, 'file'), join(folder, 'file'), over);
    await remote.rename(join(folder, 'file'), join(folder, 'file'), keep);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('kept\n');
  });

  it('reports a missing source, a missing target directory and too long a name', async () => {
    const folder = plant(sshd, 'touch file');
    const remote = await session();
    const code = async (from: string, to: string) =>
      (await failureOf(remote.rename(join(folder, from), join(folder, to), keep))).code;
    expect(await code('missing', 'to')).toBe('file_not_found');
    expect(await code('file', 'no/parent')).toBe('file_not_found');
    expect(await code('file', 'y'.repeat(256))).toBe('name_too_long');
  });

  it('to another file system suggests what may be wrong', async () => {
    const folder = plant(sshd, 'mkdir dir');
    const work = (await session()).rename(join(folder, 'dir'), `/dev/shm/sallyport-${process.pid}`, over);
    const { code, detail } = await failureOf(work);
    expect(code).toBe('sftp_failed');
    expect(detail).toContain('another file system');
  });

  it('is path_outside_allowed when either parent has become a link', async () => {
    const folder = plant(sshd, 'mkdir secret ok; touch secret/file ok/file; ln -s secret link');
    const remote = await session();
    for (const [from, to] of [
      ['link/file', 'ok/stolen'],
      ['ok/file', 'link/planted'],
    ] as const) {
      const work = remote.rename(join(folder, from), join(folder, to), keep);
      expect(await failureOf(work)).toMatchObject({ code: 'path_outside_allowed' });
    }
    expect(readdirSync(join(folder, 'secret'))).toEqual(['file']);
  });
});

describe('removing', () => {
  it('removes files, links and whole trees, and never the targets of links', async () => {
    const folder = plant(
      sshd,
      'mkdir -p gone/a/b/c kept; touch kept/file gone/a/f{1..300}; mkfifo gone/pipe; ' +
        'ln -s ../kept gone/link; ln -s .. gone/a/up; ln -s nowhere gone/dangling; mkdir gone/d{1..50}; touch gone/d7/x',
    );
    const remote = await session();
    await remote.remove(join(folder, 'gone/link'), calm);
    expect(existsSync(join(folder, 'gone/link'))).toBe(false);
    await remote.remove(join(folder, 'gone'), calm);
    expect(readdirSync(folder)).toEqual(['kept']);
    expect(readdirSync(join(folder, 'kept'))).toEqual(['file']);
  });

  it('removes a link given as root, never the directory behind it', async () => {
    const folder = plant(sshd, 'mkdir kept; touch kept/file; ln -s kept link');
    await (await session()).remove(join(folder, 'link'), calm);
    expect(readdirSync(folder)).toEqual(['kept']);
  });

  it('removes thousands of entries of one directory', async () => {
    const folder = plant(sshd, 'mkdir many; cd many; seq 3000 | xargs touch');
    await (await session()).remove(join(folder, 'many'), calm);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('removes a tree as deep as paths allow', async () => {
    const folder = plant(sshd);
    const levels = Math.floor((4090 - folder.length) / 40); // each costs more than the one before: sshd resolves every path
    const python = `import os\nfor _ in range(${levels}):\n os.mkdir('d' * 39); os.chdir('d' * 39)`;
    execFileSync('python3', ['-c', python], { cwd: folder });
    execFileSync('chown', ['-Rh', `${sshd.username}:`, folder]);
    await (await session()).remove(join(folder, 'd'.repeat(39)), calm);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('reports that a path is too long to remove what lies deeper', async () => {
    const folder = plant(sshd);
    const python = "import os\nfor _ in range(25):\n os.mkdir('d' * 200); os.chdir('d' * 200)";
    execFileSync('python3', ['-c', python], { cwd: folder });
    execFileSync('chown', ['-Rh', `${sshd.username}:`, folder]);
    const work = failureOf((await session()).remove(join(folder, 'd'.repeat(200)), calm));
    expect((await work.finally(() => execFileSync('rm', ['-rf', folder]))).code).toBe('name_too_long');
  });

  it('reports where permission was denied, after removing what it could', async () => {
    const folder = plant(sshd, 'mkdir -p top/closed top/open; touch top/closed/file top/open/file');
    execFileSync('chown', ['root:', join(folder, 'top/closed')]);
    const { code, detail } = await failureOf((await session()).remove(join(folder, 'top'), calm));
    expect(code).toBe('permission_denied');
    expect(detail).toContain(join(folder, 'top/closed'));
    expect(readdirSync(join(folder, 'top'))).toEqual(['closed']);
  });

  it('removes nothing when a directory cannot be read, and names it', async () => {
    const folder = plant(sshd, 'mkdir -p top/closed top/open; touch top/open/file top/fine');
    execFileSync('sh', ['-c', 'chown root: closed; chmod 700 closed'], { cwd: join(folder, 'top') });
    const { code, detail } = await failureOf((await session()).remove(join(folder, 'top'), calm));
    expect(code).toBe('permission_denied');
    expect(detail).toContain(join(folder, 'top/closed'));
    expect(readdirSync(join(folder, 'top')).sort()).toEqual(['closed', 'fine', 'open']);
    expect(readdirSync(join(folder, 'top/open'))).toEqual(['file']);
  });

  it('is file_not_found for a missing path', async () => {
    expect(await failureOf((await session()).remove(join(plant(sshd), 'missing'), calm))).toMatchObject({
      code: 'file_not_found',
    });
  });

  it('is path_outside_allowed when its parent has become a link', async () => {
    const folder = plant(sshd, 'mkdir secret; touch secret/file; ln -s secret link');
    expect(await failureOf((await session()).remove(join(folder, 'link/file'), calm))).toMatchObject({
      code: 'path_outside_allowed',
    });
    expect(readdirSync(join(folder, 'secret'))).toEqual(['file']);
  });

  it('tolerates entries that vanish during the work', async () => {
    const folder = plant(sshd, 'mkdir -p top/d{1..40}; touch top/d{1..40}/f{1..50}');
    const remote = await session();
    const both = [
      remote.remove(join(folder, 'top'), calm),
      (await session()).remove(join(folder, 'top'), calm),
    ];
    const outcomes = await Promise.allSettled(both);
    expect(existsSync(join(folder, 'top'))).toBe(false);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'file_not_found' });
    }
  });

  it('stops at once when it is aborted, with the reason', async () => {
    const folder = plant(sshd, 'mkdir top; cd top; seq 5000 | xargs touch');
    const signal = abortOnceChanged(join(folder, 'top'));
    const work = (await session()).remove(join(folder, 'top'), { signal });
    expect(await failureOf(work)).toMatchObject({ code: 'session_not_found' });
    expect(readdirSync(join(folder, 'top')).length).toBeGreaterThan(1000);
  });

  it('sends nothing when it is already aborted', async () => {
    const folder = plant(sshd, 'touch file');
    const signal = AbortSignal.abort(new Fault('session_not_found'));
    expect(await failureOf((await session()).remove(join(folder, 'file'), { signal }))).toMatchObject({
      code: 'session_not_found',
    });
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('fails when the host is lost during the work', async () => {
    const own = await startSshd();
    const folder = plant(own, 'mkdir top; cd top; seq 5000 | xargs touch');
    const remote = await worker().files.open(targetTo(own));
    const processes = await own.sessionProcesses(); // Searching for them takes longer than the work may.
    const work = failureOf(remote.remove(join(folder, 'top'), calm));
    for (const pid of processes) process.kill(pid, 'SIGKILL');
    expect(await work).toMatchObject({ code: 'host_disconnected' });
    await own.stop();
  });
});

const modeOf = (path: string) => (lstatSync(path).mode & 0o7777).toString(8);

describe('changing a mode', () => {
  const plain = { recursive: false, ...calm };
  const deep = { recursive: true, ...calm };

  it('sets it, setuid and sticky bits included', async () => {
    const folder = plant(sshd, 'touch file; mkdir dir');
    const remote = await session();
    await remote.changeMode(join(folder, 'file'), 0o4711, plain);
    await remote.changeMode(join(folder, 'dir'), 0o1777, plain);
    expect([modeOf(join(folder, 'file')), modeOf(join(folder, 'dir'))]).toEqual(['4711', '1777']);
  });

  it('walks a tree without touching links or their targets', async () => {
    const folder = plant(
      sshd,
      'mkdir -p top/a/b; touch top/f top/a/b/g out; chmod 600 out; ln -s ../out top/link',
    );
    await (await session()).changeMode(join(folder, 'top'), 0o755, deep);
    for (const name of ['top', 'top/a', 'top/a/b', 'top/f', 'top/a/b/g']) {
      expect([name, modeOf(join(folder, name))]).toEqual([name, '755']);
    }
    expect(modeOf(join(folder, 'out'))).toBe('600');
  });

  it('removes permissions from directories after their contents, and adds them before', async () => {
    const folder = plant(sshd, 'mkdir -p top/a/b; touch top/f top/a/b/g');
    const remote = await session();
    await remote.changeMode(join(folder, 'top'), 0o600, deep);
    const all = ['top', 'top/a', 'top/a/b', 'top/f', 'top/a/b/g'];
    const modes = () => new Set(all.map((name) => modeOf(join(folder, name))));
    expect(modes()).toEqual(new Set(['600']));
    await remote.changeMode(join(folder, 'top'), 0o700, deep);
    expect(modes()).toEqual(new Set(['700']));
  });

  it('never follows a link that has replaced a directory', async () => {
    const folder = plant(sshd, 'mkdir dir secret; chmod 700 secret; mv dir parked; ln -s secret dir');
    expect(await failureOf((await session()).changeMode(join(folder, 'dir'), 0o777, plain))).toMatchObject({
      code: 'path_outside_allowed',
    });
    expect(modeOf(join(folder, 'secret'))).toBe('700');
  });

  it('reports where permission was denied', async () => {
    const folder = plant(sshd, 'mkdir top; touch top/mine top/theirs');
    execFileSync('chown', ['root:', join(folder, 'top/theirs')]);
    const { code, detail } = await failureOf((await session()).changeMode(join(folder, 'top'), 0o755, deep));
    expect([code, detail.endsWith(join(folder, 'top/theirs'))]).toEqual(['permission_denied', true]);
    expect(modeOf(join(folder, 'top/mine'))).toBe('755');
  });

  it('stops when it is aborted', async () => {
    const folder = plant(sshd, 'touch file');
    const signal = AbortSignal.abort(new Fault('session_not_found'));
    const work = (await session()).changeMode(join(folder, 'file'), 0o777, { recursive: false, signal });
    expect(await failureOf(work)).toMatchObject({ code: 'session_not_found' });
  });
});

describe('names that are known to break programs', () => {
  it('are created, listed, looked up, renamed, read and removed', async () => {
    const folder = plant(sshd);
    const remote = await session();
    for (const name of HOSTILE_NAMES) {
      const path = join(folder, name);
      await remote.makeDirectory(path);
      expect((await remote.list(folder)).map((entry) => [entry.name, entry.addressable])).toEqual([
        [name, true],
      ]);
      await remote.changeMode(path, 0o750, { recursive: true, ...calm });
      await remote.rename(path, join(folder, 'plain'), keep);
      await remote.rename(join(folder, 'plain'), path, keep);
      expect(await remote.statOf(path)).toMatchObject({ kind: 'directory', mode: 0o750 });
      await remote.remove(path, calm);
      writeFileSync(path, 'content');
      const file = await remote.openRead(path);
      expect(Buffer.from(await file.readAll(100)).toString()).toBe('content');
      await remote.remove(path, calm);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that are not UTF-8 are created, moved, changed and removed, and only they', async () => {
    const folder = plant(sshd, 'mkdir ok');
    writeFileSync(pathOf(folder, 'bad\xfe'), 'other');
    const remote = await session();
    const path = `bytes:${folder}/bad%FF`;
    await remote.makeDirectory(path);
    await remote.makeDirectory(`${path}/100%25`);
    await remote.changeMode(path, 0o750, { recursive: true, ...calm });
    expect(statSync(pathOf(folder, 'bad\xff/100%')).mode & 0o777).toBe(0o750);
    await remote.rename(path, join(folder, 'good'), keep);
    await remote.rename(join(folder, 'good'), path, keep);
    await remote.remove(path, calm);
    expect(readdirSync(folder, 'latin1').sort()).toEqual(['bad\xfe', 'ok']);
  });

  it('that are not UTF-8 do not keep a tree from being removed', async () => {
    const folder = plant(sshd, 'mkdir -p top/sub; touch top/sub/fine');
    mkdirSync(pathOf(join(folder, 'top/sub'), 'caf\xe9'));
    writeFileSync(pathOf(join(folder, 'top/sub'), 'caf\xe9/\xff'), '');
    execFileSync('chown', ['-R', `${sshd.username}:`, folder]);
    await (await session()).remove(join(folder, 'top'), calm);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that are not UTF-8 count by their bytes: 255 are not too long', async () => {
    const folder = plant(sshd);
    const remote = await session();
    await remote.makeDirectory(`bytes:${folder}/${'%FF'.repeat(255)}`);
    const long = remote.makeDirectory(`bytes:${folder}/${'%FF'.repeat(256)}`);
    expect(await failureOf(long)).toMatchObject({ code: 'name_too_long' });
  });
});
