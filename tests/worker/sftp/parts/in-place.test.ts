import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { PutOptions } from '#core/ports/files.ts';
import { systemClock } from '#server/lib/clock.ts';
import { createHostLookup } from '#worker/names/host-lookup.ts';
import { type Content, contentIn } from '#worker/sftp/parts/content.ts';
import { writeInPlace } from '#worker/sftp/parts/in-place.ts';
import { openSftpChannel } from '#worker/sftp/protocol/channel.ts';
import { sentOnce } from '#worker/sftp/protocol/pieces.ts';
import { createDialler } from '#worker/ssh/dial/connect.ts';
import { createKeyProcesses } from '#worker/ssh/keys/key-processes.ts';
import { createPrivateKeyReader } from '#worker/ssh/keys/private-keys.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';
import { failureOf, NEVER, targetTo, trustAll, worker } from '../../setup.ts';

const OPTIONS = { clock: systemClock, connect_timeout_ms: 10_000, operation_timeout_ms: 10_000 };

let sshd: Sshd;
let plain: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
  plain = await startSshd({ sftp: 'internal-sftp -P copy-data,fsync' });
});
afterAll(() => Promise.all([sshd.stop(), plain.stop()]));

let folders = 0;
function makeFolder(of: Sshd): string {
  folders += 1;
  const path = join(of.folder, `in-place-${folders}`);
  mkdirSync(path);
  chownSync(path, of.uid, of.uid);
  return path;
}

/** A file of root that the account may write. */
function rootFile(of: Sshd, content: string | Uint8Array = 'old content', mode = 0o664): string {
  const path = join(makeFolder(of), 'target');
  writeFileSync(path, content);
  chownSync(path, 0, of.uid);
  chmodSync(path, mode);
  return path;
}

async function* once(bytes: Uint8Array) {
  yield bytes;
}

async function put(of: Sshd, target: string, bytes: Uint8Array, options: Partial<PutOptions> = {}) {
  const session = await worker().files.open(targetTo(of));
  const part = join(target, '..', '.part');
  const places = { target, overwrite: true, is_private: true, signal: NEVER };
  return session.putPart(part, once(bytes), { ...places, ...options });
}

async function channelTo(of: Sshd) {
  const keys = createPrivateKeyReader(createKeyProcesses(systemClock));
  const lookup = createHostLookup(OPTIONS);
  const dialler = createDialler({ ...OPTIONS, keys, lookup, host_keys: trustAll() });
  onTestFinished(() => dialler.close());
  return openSftpChannel(await dialler.connect(targetTo(of)), OPTIONS);
}

const namesBeside = (path: string) => readdirSync(join(path, '..'));

describe('A file of another owner', () => {
  it.each([
    ['with copy-data', () => sshd],
    ['without', () => plain],
  ])('is written in place, larger and smaller than before: a host %s', async (_what, of) => {
    const path = rootFile(of());
    const { ino } = statSync(path);
    for (const bytes of [Buffer.alloc(9_000_001, 'large'), Buffer.from('small')]) {
      const placed = await put(of(), path, bytes);
      expect(placed).toEqual({ size: bytes.length, in_place: true, is_mode_kept: true });
      expect(readFileSync(path).equals(bytes)).toBe(true);
    }
    expect(statSync(path)).toMatchObject({ ino, uid: 0, gid: of().uid, mode: 0o100664 });
    expect(namesBeside(path)).toEqual(['target']);
  });

  it('is written in place by a resumable upload, which leaves no part', async () => {
    const path = rootFile(sshd);
    const part = join(path, '..', '.part');
    const session = await worker().files.open(targetTo(sshd));
    await session.createPart(part, { is_private: true });
    await session.appendPart(part, 0, once(Buffer.from('new')), { signal: NEVER });
    await session.placePart(part, path, { overwrite: true });
    expect([readFileSync(path, 'utf8'), statSync(path).uid, namesBeside(path)]).toEqual([
      'new',
      0,
      ['target'],
    ]);
  });

  it('is refused, and not replaced, if the account may not write it', async () => {
    const path = rootFile(sshd, 'old', 0o644);
    expect(await failureOf(put(sshd, path, Buffer.from('new')))).toMatchObject({
      code: 'permission_denied',
      detail: expect.stringContaining('belongs to another account'),
    });
    expect([readFileSync(path, 'utf8'), statSync(path).uid]).toEqual(['old', 0]);
  });

  it('that loses its set-group-ID bit is reported', async () => {
    const placed = await put(sshd, rootFile(sshd, 'old', 0o2775), Buffer.from('new'));
    expect(placed).toMatchObject({ in_place: true, is_mode_kept: false });
  });

  it('keeps its content when the disk is full halfway', async ({ skip }) => {
    const folder = makeFolder(sshd);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=777', 'tmpfs', folder], { stdio: 'ignore' });
    } catch {
      skip('this machine may not mount a tmpfs');
    }
    onTestFinished(() => void execFileSync('umount', ['-l', folder]));
    const path = join(folder, 'target');
    const old = Buffer.alloc(100_000, 'old ');
    writeFileSync(path, old);
    chmodSync(path, 0o666);
    const large = put(sshd, path, Buffer.alloc(500_000, 'new ')); // with the part and the copy, half of it fits
    expect(await failureOf(large)).toMatchObject({ code: 'remote_disk_full' });
    expect(readFileSync(path).equals(old)).toBe(true);
    expect(namesBeside(path).sort()).toEqual(['.part', 'target']); // the part is removed by its keeper
  });

  it('has its old content beside it when the host dies halfway, and the error says where', async () => {
    const own = await startSshd();
    onTestFinished(() => own.stop());
    const path = rootFile(own, 'the old content');
    const halfway: Content = async (channel, to) => {
      await channel.write(to, 0, sentOnce([Buffer.from('half')]));
      await own.killSessions();
      await channel.write(to, 4, sentOnce([Buffer.from('of it')]));
      return 9;
    };
    const failure = await failureOf(writeInPlace(await channelTo(own), path, halfway));
    expect(failure.code).toBe('host_disconnected');
    const copy = namesBeside(path).find((name) => name.endsWith('.old')) ?? '';
    expect(failure.detail).toContain(`previous content is in ${join(path, '..', copy)}`);
    expect(readFileSync(join(path, '..', copy), 'utf8')).toBe('the old content');
  });

  it('is left alone when a copy of its old content cannot be written', async () => {
    const path = rootFile(sshd);
    const channel = await channelTo(sshd);
    const full = () => Promise.reject(new Error('full'));
    const written = writeInPlace({ ...channel, copyData: full }, path, contentIn(Buffer.from('new')));
    await expect(written).rejects.toThrow('full');
    expect([readFileSync(path, 'utf8'), namesBeside(path)]).toEqual(['old content', ['target']]);
  });
});

describe('A file in a directory that is not writable', () => {
  it.each([
    ['any path', []],
    ['allowed directories', [true]],
  ])('is written in place: %s', async (_what, confined) => {
    const path = rootFile(sshd);
    chownSync(join(path, '..'), 0, 0);
    const session = await worker().files.open(targetTo(sshd), { is_confined: confined.length > 0 });
    const whole = Buffer.from('new');
    const places = { target: path, overwrite: true, is_private: true, signal: NEVER };
    const placed = await session.putPart(join(path, '..', '.part'), once(whole), { ...places, whole });
    expect(placed).toMatchObject({ in_place: true, size: 3 });
    expect([readFileSync(path, 'utf8'), namesBeside(path)]).toEqual(['new', ['target']]);
    expect(readdirSync(sshd.home).filter((name) => name.endsWith('.old'))).toEqual([]);
  });

  it('is not created there', async () => {
    const folder = makeFolder(sshd);
    chownSync(folder, 0, 0);
    const bytes = Buffer.from('new');
    const made = put(sshd, join(folder, 'fresh'), bytes, { whole: bytes });
    expect(await failureOf(made)).toMatchObject({ code: 'permission_denied' });
  });
});

describe('A file with several hard links', () => {
  it('keeps them where any path is allowed', async () => {
    const path = rootFile(sshd);
    const other = join(makeFolder(sshd), 'other');
    chownSync(path, sshd.uid, sshd.uid);
    linkSync(path, other);
    const session = await worker().files.open(targetTo(sshd), { is_confined: false });
    const places = { target: path, overwrite: true, is_private: true, signal: NEVER };
    await session.putPart(join(path, '..', '.part'), once(Buffer.from('for both')), places);
    expect(readFileSync(other, 'utf8')).toBe('for both');
  });

  it('does not write through them where only some directories are allowed', async () => {
    const path = rootFile(sshd);
    const outside = join(makeFolder(sshd), 'outside');
    chownSync(path, sshd.uid, sshd.uid);
    linkSync(path, outside);
    const session = await worker().files.open(targetTo(sshd), { is_confined: true });
    const places = { target: path, overwrite: true, is_private: true, signal: NEVER };
    const placed = await session.putPart(join(path, '..', '.part'), once(Buffer.from('new')), places);
    expect(placed).toMatchObject({ in_place: false });
    expect([readFileSync(outside, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['old content', 'new']);
  });

  it.each([
    ['it belongs to another account', {}],
    ['its directory is not writable', { whole: Buffer.from('new') }],
  ])('is refused there if %s, because it could only be written in place', async (_why, options) => {
    const path = rootFile(sshd);
    const outside = join(makeFolder(sshd), 'outside');
    linkSync(path, outside);
    if ('whole' in options) chownSync(join(path, '..'), 0, 0);
    const session = await worker().files.open(targetTo(sshd), { is_confined: true });
    const places = { target: path, overwrite: true, is_private: true, signal: NEVER, ...options };
    const placing = session.putPart(join(path, '..', '.part'), once(Buffer.from('new')), places);
    expect(await failureOf(placing)).toMatchObject({
      code: 'permission_denied',
      detail: expect.stringContaining('a hard link'),
    });
    expect(readFileSync(outside, 'utf8')).toBe('old content');
  });
});
