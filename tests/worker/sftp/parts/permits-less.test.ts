import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import ssh2, { type SFTPWrapper } from 'ssh2';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { FileSession } from '#core/ports/files.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';
import { failureOf, NEVER, targetTo, worker } from '../../setup.ts';
import { startHostileHost } from '../protocol/hostile-host.ts';

const DROP_BOX = 'open,close,write,realpath,stat,lstat,fstat,opendir,readdir,mkdir';
const HOSTS = [
  ['no renaming', '-P rename,posix-rename'],
  ['no renaming and no deleting', '-P rename,posix-rename,remove,rmdir'],
  ['only uploads', `-p ${DROP_BOX}`],
  ['no deleting', '-P remove,rmdir'],
  ['no setting of attributes', '-P setstat,fsetstat,lsetstat'],
  ['no extensions', '-P statvfs,fstatvfs,fsync,copy-data,posix-rename,limits'],
] as const;

let folders = 0;
/** A directory of the account, with a file in it. */
function makeFolder(of: Sshd, mode = 0o640): { folder: string; old: string } {
  folders += 1;
  const folder = join(of.folder, `less-${folders}`);
  mkdirSync(folder);
  const old = join(folder, 'old');
  writeFileSync(old, 'a rather long old content');
  chmodSync(old, mode);
  for (const path of [folder, old]) chownSync(path, of.uid, of.uid);
  return { folder, old };
}

async function* content(bytes: Uint8Array = Buffer.from('new')) {
  yield bytes;
}

async function* broken() {
  yield Buffer.from('half');
  throw new Fault('client_left');
}

function put(session: FileSession, target: string, source: AsyncIterable<Uint8Array> = content()) {
  const part = join(target, '..', '.part');
  return session.putPart(part, source, { target, overwrite: true, is_private: true, signal: NEVER });
}

describe.each(HOSTS)('A host that permits %s', (what, options) => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd({ sftp: `internal-sftp ${options}` });
  });
  afterAll(() => sshd.stop());
  const sessionOf = (is_confined = false) => worker().files.open(targetTo(sshd), { is_confined });

  it.each([false, true])('takes new files and leaves nothing else, confined: %s', async (is_confined) => {
    const { folder } = makeFolder(sshd);
    const session = await sessionOf(is_confined);
    const options = { overwrite: false, is_private: true, is_new: true, signal: NEVER, mode: 0o600 };
    for (const name of ['a', 'b']) {
      const target = join(folder, name);
      const large = content(Buffer.alloc(3_000_000, name));
      await session.putPart(join(folder, '.part'), large, { target, ...options });
      expect([statSync(target).size, statSync(target).mode & 0o777]).toEqual([3_000_000, 0o600]);
    }
    expect(readdirSync(folder).sort()).toEqual(['a', 'b', 'old']);
  });

  it.each([0o640, 0o644])('takes another content for a file of mode %o', async (mode) => {
    const { folder, old } = makeFolder(sshd, mode);
    const session = await sessionOf();
    await put(session, old);
    expect([readFileSync(old, 'utf8'), statSync(old).mode & 0o777]).toEqual(['new', mode]);
    await put(session, old, content(Buffer.from('a longer content than that')));
    expect(readFileSync(old, 'utf8')).toBe('a longer content than that');
    expect(readdirSync(folder)).toEqual(['old']);
  });

  it.skipIf(what === 'only uploads')('keeps the old content when the sender leaves', async () => {
    const { old } = makeFolder(sshd);
    await expect(put(await sessionOf(), old, broken())).rejects.toThrow();
    expect(readFileSync(old, 'utf8')).toBe('a rather long old content');
  });
});

describe('A host without renaming', () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd({ sftp: 'internal-sftp -P rename,posix-rename,remove,rmdir' });
  });
  afterAll(() => sshd.stop());

  it('says that an incomplete file stays when its sender leaves', async () => {
    const { folder } = makeFolder(sshd);
    const session = await worker().files.open(targetTo(sshd), { is_confined: false });
    const failing = failureOf(put(session, join(folder, 'new'), broken()));
    expect((await failing).detail).toContain(`${join(folder, 'new')} is incomplete`);
  });

  it('names the request that it refuses', async () => {
    const { folder, old } = makeFolder(sshd);
    const session = await worker().files.open(targetTo(sshd));
    const renamed = failureOf(session.rename(old, join(folder, 'other'), { overwrite: false }));
    expect(await renamed).toMatchObject({
      code: 'permission_denied',
      detail: 'The host permits no renaming',
    });
    const removed = failureOf(session.remove(old, { signal: NEVER }));
    expect(await removed).toMatchObject({
      code: 'permission_denied',
      detail: 'The host permits no deleting',
    });
    expect(existsSync(old)).toBe(true);
  });
});

describe('A host that is read-only', () => {
  it('refuses every change with a reason: internal-sftp -R', async () => {
    const sshd = await startSshd({ sftp: 'internal-sftp -R' });
    onTestFinished(() => sshd.stop());
    const { folder, old } = makeFolder(sshd);
    const session = await worker().files.open(targetTo(sshd));
    const refused = { code: 'permission_denied', detail: 'The host refuses to write' };
    for (const target of [old, join(folder, 'new')]) {
      expect(await failureOf(put(session, target))).toMatchObject(refused);
    }
    expect(await failureOf(session.makeDirectory(join(folder, 'd')))).toMatchObject(refused);
    expect(await failureOf(session.remove(old, { signal: NEVER }))).toMatchObject(refused);
    expect(await failureOf(session.rename(old, `${old}2`, { overwrite: false }))).toMatchObject(refused);
    const mode = session.changeMode(old, 0o600, { recursive: false, signal: NEVER });
    expect(await failureOf(mode)).toMatchObject(refused);
  });

  it('says so where its file system is', async ({ skip }) => {
    const sshd = await startSshd();
    onTestFinished(() => sshd.stop());
    const { folder, old } = makeFolder(sshd, 0o644);
    try {
      execFileSync('mount', ['--bind', folder, folder], { stdio: 'ignore' });
    } catch {
      skip('this machine may not mount');
    }
    onTestFinished(() => void execFileSync('umount', ['-l', folder]));
    execFileSync('mount', ['-o', 'remount,bind,ro', folder]);
    const session = await worker().files.open(targetTo(sshd));
    const read_only = { code: 'remote_read_only' };
    for (const target of [old, join(folder, 'new')]) {
      expect(await failureOf(put(session, target))).toMatchObject(read_only);
    }
    expect(await failureOf(session.createPart(`${old}.part`, { is_private: true }))).toMatchObject(read_only);
    expect(await failureOf(session.makeDirectory(join(folder, 'd')))).toMatchObject(read_only);
    expect(await failureOf(session.remove(old, { signal: NEVER }))).toMatchObject(read_only);
    expect(await failureOf(session.remove(folder, { signal: NEVER }))).toMatchObject(read_only);
    for (const overwrite of [false, true]) {
      expect(await failureOf(session.rename(old, `${old}2`, { overwrite }))).toMatchObject(read_only);
    }
    const mode = session.changeMode(old, 0o600, { recursive: false, signal: NEVER });
    expect(await failureOf(mode)).toMatchObject(read_only);
  });
});

describe('A server that implements only what `sftp put` needs', () => {
  it('takes new files and other content, in pieces and shorter', async () => {
    const files = new Map<string, Buffer>();
    const host = await startHostileHost({ sftp: (wrapper) => serveUploads(wrapper, files) });
    onTestFinished(() => host.stop());
    const session = await worker().files.open(host.target, { is_confined: false });
    for (const text of ['first, and rather long', 'second', 'a third one that is longer than the others']) {
      expect(await put(session, '/box/file', content(Buffer.from(text)))).toMatchObject({
        size: text.length,
      });
      expect([...files].map(([path, bytes]) => [path, bytes.toString()])).toEqual([['/box/file', text]]);
    }
  });
});

const { STATUS_CODE, OPEN_MODE } = ssh2.utils.sftp;

/** Any other request is answered with OP_UNSUPPORTED. */
function serveUploads(wrapper: SFTPWrapper, files: Map<string, Buffer>): void {
  const times = { uid: 0, gid: 0, atime: 0, mtime: 0 };
  const tell = (id: number, path: string) => {
    const file = files.get(path);
    if (file) wrapper.attrs(id, { ...times, mode: 0o100644, size: file.length });
    else if (path === '/' || path === '/box') wrapper.attrs(id, { ...times, mode: 0o40755, size: 0 });
    else wrapper.status(id, STATUS_CODE.NO_SUCH_FILE);
  };
  wrapper.on('REALPATH', (id, path) =>
    wrapper.name(id, [{ filename: path, longname: '', attrs: {} as never }]),
  );
  wrapper.on('STAT', tell);
  wrapper.on('LSTAT', tell);
  wrapper.on('FSTAT', (id, handle) => tell(id, handle.toString()));
  wrapper.on('OPEN', (id, path, flags) => {
    if (flags & OPEN_MODE.EXCL && files.has(path)) return wrapper.status(id, STATUS_CODE.FAILURE);
    if (flags & OPEN_MODE.TRUNC) files.set(path, Buffer.alloc(0));
    wrapper.handle(id, Buffer.from(path));
  });
  wrapper.on('WRITE', (id, handle, offset, data) => {
    const old = files.get(handle.toString()) ?? Buffer.alloc(0);
    const grown = Buffer.alloc(Math.max(old.length, offset + data.length));
    old.copy(grown);
    data.copy(grown, offset);
    files.set(handle.toString(), grown);
    wrapper.status(id, STATUS_CODE.OK);
  });
  wrapper.on('CLOSE', (id) => wrapper.status(id, STATUS_CODE.OK));
}
