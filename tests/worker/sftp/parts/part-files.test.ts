import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ByteSource, FileSession, PutOptions } from '#core/ports/files.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';
import { failureOf, NEVER, targetTo, worker } from '../../setup.ts';
import { openFilesOf } from '../open-files.ts';

const MIB = 1024 * 1024;

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

const session = (): Promise<FileSession> => worker().files.open(targetTo(sshd));
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

let folders = 0;
/** A fresh directory on the host, owned by the account. */
function makeFolder(of: Sshd = sshd): string {
  folders += 1;
  const path = join(of.folder, `parts-${folders}`);
  mkdirSync(path);
  chownSync(path, of.uid, of.uid);
  return path;
}

/** In chunks of odd sizes, as a browser's body arrives. */
async function* inPieces(bytes: Uint8Array, size = 65_521): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

/** Yields some bytes, then stalls for ever; reports when it is cancelled. */
function stuck(bytes: Uint8Array) {
  const ended = vi.fn();
  const source = {
    [Symbol.asyncIterator]() {
      let given = false;
      return {
        next() {
          const first = !given;
          given = true;
          return first
            ? Promise.resolve({ done: false as const, value: bytes })
            : new Promise<IteratorResult<Uint8Array>>(() => {});
        },
        async return() {
          ended();
          return { done: true as const, value: undefined };
        },
      };
    },
  };
  return { source, ended };
}

async function part(remote: FileSession, is_private = false): Promise<string> {
  const path = join(makeFolder(), '.part');
  await remote.createPart(path, { is_private });
  return path;
}

interface Filling extends Partial<PutOptions> {
  readonly signal: AbortSignal;
}

/** Fills a part at this path and renames it. */
async function put(remote: FileSession, path: string, source: ByteSource, options: Filling): Promise<number> {
  const places = { target: `${path}-target`, overwrite: true, is_private: false };
  return (await remote.putPart(path, source, { ...places, ...options })).size;
}

const newPart = () => join(makeFolder(), '.part');

const isClosed = (path: string, of: Sshd = sshd) =>
  eventually(async () => expect(await openFilesOf(of)).not.toContain(path));

describe('creating a part file', () => {
  it('creates an empty file that only its owner can read when it is private', async () => {
    const remote = await session();
    expect(statSync(await part(remote)).mode & 0o7777).toBe(0o644);
    const path = await part(remote, true);
    expect(statSync(path)).toMatchObject({ size: 0 });
    expect(statSync(path).mode & 0o7777).toBe(0o600);
    await isClosed(path);
  });

  it('refuses a name that is taken, even by a dangling link', async () => {
    const remote = await session();
    const path = join(makeFolder(), '.part');
    symlinkSync('nowhere', path);
    expect(await failureOf(remote.createPart(path, { is_private: false }))).toMatchObject({
      code: 'already_exists',
    });
    expect(existsSync(join(path, '..', 'nowhere'))).toBe(false);
  });

  it.each([
    ['name_too_long', 'x'.repeat(256)],
    ['file_not_found', 'missing/.part'],
  ])('reports %s', async (code, name) => {
    const path = join(makeFolder(), name);
    const remote = await session();
    expect(await failureOf(remote.createPart(path, { is_private: false }))).toMatchObject({ code });
  });

  it('leaves nothing where a directory was replaced with a link', async () => {
    const folder = makeFolder();
    const outside = makeFolder();
    rmSync(folder, { recursive: true });
    symlinkSync(outside, folder);
    const remote = await session();
    expect(await failureOf(remote.createPart(join(folder, '.part'), { is_private: false }))).toMatchObject({
      code: 'path_outside_allowed',
    });
    expect(readdirSync(outside)).toEqual([]);
  });
});

describe('putting a file', () => {
  it.each([0, 1, 65_521, MIB, 40 * MIB + 7])(
    'writes %i bytes unchanged and closes the file',
    async (size) => {
      const remote = await session();
      const path = newPart();
      const content = randomBytes(size);
      let told = 0;
      const onWritten = (bytes: number) => {
        told += bytes;
      };
      expect(await put(remote, path, inPieces(content), { signal: NEVER, onWritten })).toBe(size);
      expect(told).toBe(size);
      expect(hash(readFileSync(`${path}-target`))).toBe(hash(content));
      await isClosed(path);
    },
  );

  it('accepts chunks larger than one request and many small ones', async () => {
    const remote = await session();
    const content = randomBytes(3 * MIB + 1);
    for (const size of [content.length, 777]) {
      const path = newPart();
      await put(remote, path, inPieces(content, size), { signal: NEVER });
      expect(hash(readFileSync(`${path}-target`))).toBe(hash(content));
    }
  });

  it('fills two at once', async () => {
    const remote = await session();
    const contents = [randomBytes(20 * MIB), randomBytes(20 * MIB)];
    const paths = contents.map(newPart);
    await Promise.all(
      contents.map((content, index) => put(remote, paths[index] ?? '', inPieces(content), { signal: NEVER })),
    );
    for (const [index, content] of contents.entries()) {
      expect(hash(readFileSync(`${paths[index]}-target`))).toBe(hash(content));
    }
  });

  it('refuses more than the limit and cancels the source', async () => {
    const remote = await session();
    const path = newPart();
    const { source, ended } = stuck(randomBytes(MIB + 1));
    const options = { signal: NEVER, limit_bytes: MIB };
    expect(await failureOf(put(remote, path, source, options))).toMatchObject({
      code: 'upload_too_large',
    });
    expect(ended).toHaveBeenCalledTimes(1);
    const exact = await put(remote, newPart(), inPieces(randomBytes(MIB)), options);
    expect(exact).toBe(MIB);
  });

  it('stops at once when it is aborted, even while the source stalls', async () => {
    const remote = await session();
    const path = newPart();
    const { source, ended } = stuck(randomBytes(MIB));
    const abort = new AbortController();
    const filling = put(remote, path, source, {
      signal: abort.signal,
      onWritten: () => abort.abort(new Error('gone')),
    });
    await expect(filling).rejects.toThrow('gone');
    expect(ended).toHaveBeenCalledTimes(1);
    await isClosed(path);
    expect(await remote.partSize(path)).toBeLessThanOrEqual(MIB);
  });

  it('fails with the error of its source', async () => {
    const remote = await session();
    const path = newPart();
    async function* breaking() {
      yield randomBytes(MIB);
      throw new Error('broken off');
    }
    await expect(put(remote, path, breaking(), { signal: NEVER })).rejects.toThrow('broken off');
    await isClosed(path);
  });

  it('writes nothing through a link in the place of the part', async () => {
    const remote = await session();
    const path = newPart();
    const victim = join(makeFolder(), 'victim');
    writeFileSync(victim, 'untouched');
    symlinkSync(victim, path);
    expect(await failureOf(put(remote, path, inPieces(randomBytes(9)), { signal: NEVER }))).toMatchObject({
      code: 'already_exists',
    });
    expect(readFileSync(victim, 'utf8')).toBe('untouched');
  });

  it('fails when the host is killed, and is not retried', async () => {
    const own = await startSshd();
    const remote = await worker().files.open(targetTo(own));
    const path = join(makeFolder(own), '.part');
    const { source, ended } = stuck(randomBytes(MIB));
    const filling = put(remote, path, source, {
      signal: NEVER,
      onWritten: () => void own.killSessions(),
    });
    expect(await failureOf(filling)).toMatchObject({ code: 'host_disconnected' });
    expect(ended).toHaveBeenCalledTimes(1);
    expect(own.log().match(/Accepted password/g)).toHaveLength(1);
    await own.stop();
  });
});

describe('the mode of a file that is put', () => {
  const content = () => inPieces(Buffer.from('new'));

  it('is that of the replaced file', async () => {
    const path = newPart();
    const target = `${path}-target`;
    writeFileSync(target, 'old');
    chownSync(target, sshd.uid, sshd.uid);
    chmodSync(target, 0o6751);
    await put(await session(), path, content(), { signal: NEVER, is_private: true, mode: 0o600 });
    expect(readFileSync(target, 'utf8')).toBe('new');
    expect((statSync(target).mode & 0o7777).toString(8)).toBe('6751');
  });

  it('is the requested one, or the usual one, for a new file', async () => {
    const [asked, usual] = [newPart(), newPart()];
    const remote = await session();
    await put(remote, asked, content(), { signal: NEVER, is_private: true, mode: 0o751 });
    await put(remote, usual, content(), { signal: NEVER });
    const modes = [asked, usual].map((path) => (statSync(`${path}-target`).mode & 0o7777).toString(8));
    expect(modes).toEqual(['751', '644']);
  });

  it('is not applied to a file that another program has created at the target, without overwrite', async () => {
    const path = newPart();
    const target = `${path}-target`;
    const options = {
      signal: NEVER,
      overwrite: false,
      beforePlace: async () => writeFileSync(target, 'old'),
    };
    const refused = put(await session(), path, content(), options);
    expect(await failureOf(refused)).toMatchObject({ code: 'already_exists' });
    expect(readFileSync(target, 'utf8')).toBe('old');
  });
});

describe('appending to a part file', () => {
  it('continues at its current size', async () => {
    const remote = await session();
    const path = await part(remote);
    const content = randomBytes(5 * MIB + 3);
    const first = content.subarray(0, MIB + 1);
    expect(await remote.appendPart(path, 0, inPieces(first), { signal: NEVER })).toBe(first.length);
    expect(await remote.partSize(path)).toBe(first.length);
    const rest = inPieces(content.subarray(first.length));
    await remote.appendPart(path, first.length, rest, { signal: NEVER });
    expect(hash(readFileSync(path))).toBe(hash(content));
    await isClosed(path);
  });

  it('refuses an offset that is not its current size', async () => {
    const remote = await session();
    const path = await part(remote);
    const appending = remote.appendPart(path, 5, inPieces(randomBytes(9)), { signal: NEVER });
    expect(await failureOf(appending)).toMatchObject({ code: 'upload_offset' });
    expect(await remote.partSize(path)).toBe(0);
  });

  it('keeps what was written before an abort', async () => {
    const remote = await session();
    const path = await part(remote);
    const content = randomBytes(2 * MIB);
    const abort = new AbortController();
    const { source } = stuck(content);
    const options = { signal: abort.signal, onWritten: () => abort.abort(new Error('gone')) };
    await expect(remote.appendPart(path, 0, source, options)).rejects.toThrow('gone');
    const size = await remote.partSize(path);
    expect(size).toBeGreaterThan(0);
    expect(readFileSync(path).equals(content.subarray(0, size))).toBe(true);
    await isClosed(path);
  });

  it('leaves a prefix without gaps when the host is killed', async () => {
    const own = await startSshd();
    const remote = await worker().files.open(targetTo(own));
    const path = join(makeFolder(own), '.part');
    await remote.createPart(path, { is_private: false });
    const block = randomBytes(MIB);
    async function* endless() {
      for (let blocks = 0; ; blocks += 1) {
        if (blocks === 8) void own.killSessions();
        yield block;
      }
    }
    const appending = remote.appendPart(path, 0, endless(), { signal: NEVER });
    expect(await failureOf(appending)).toMatchObject({ code: 'host_disconnected' });
    const kept = readFileSync(path);
    expect(kept.length).toBeGreaterThan(0);
    for (let from = 0; from < kept.length; from += MIB) {
      const present = kept.subarray(from, from + MIB);
      expect(present.equals(block.subarray(0, present.length))).toBe(true);
    }
    await own.stop();
  });
});

describe('placing a part file', () => {
  async function filled(remote: FileSession, text: string, is_private = true): Promise<string> {
    const path = await part(remote, is_private);
    await remote.appendPart(path, 0, inPieces(Buffer.from(text)), { signal: NEVER });
    return path;
  }

  it('replaces a file in one step and keeps its mode', async () => {
    const remote = await session();
    const path = await filled(remote, 'new');
    const target = join(path, '..', 'target');
    writeFileSync(target, 'old');
    chownSync(target, sshd.uid, sshd.uid);
    chmodSync(target, 0o6751);
    await remote.placePart(path, target, { overwrite: true });
    expect(readFileSync(target, 'utf8')).toBe('new');
    expect(statSync(target).mode & 0o7777).toBe(0o6751);
    expect(existsSync(path)).toBe(false);
  });

  it('does not replace a file of somebody else that the account may not write', async () => {
    const remote = await session();
    const path = await filled(remote, 'new');
    const target = join(path, '..', 'target');
    writeFileSync(target, 'old');
    chmodSync(target, 0o4755);
    expect(await failureOf(remote.placePart(path, target, { overwrite: true }))).toMatchObject({
      code: 'permission_denied',
    });
    expect(statSync(target)).toMatchObject({ uid: 0, mode: 0o104755 });
  });

  it('creates a new file with the usual mode', async () => {
    const remote = await session();
    const path = await filled(remote, 'new', false);
    const target = join(path, '..', 'target');
    await remote.placePart(path, target, { overwrite: false });
    expect(readFileSync(target, 'utf8')).toBe('new');
    expect(statSync(target).mode & 0o7777).toBe(0o644);
  });

  it('replaces nothing when overwrite is false', async () => {
    const remote = await session();
    const path = await filled(remote, 'new');
    const target = join(path, '..', 'target');
    for (const make of [() => writeFileSync(target, 'old'), () => symlinkSync('nowhere', target)]) {
      rmSync(target, { force: true });
      make();
      expect(await failureOf(remote.placePart(path, target, { overwrite: false }))).toMatchObject({
        code: 'already_exists',
      });
    }
    expect(await remote.partSize(path)).toBe(3);
  });

  it('does not replace a directory', async () => {
    const remote = await session();
    const path = await filled(remote, 'new');
    const target = makeFolder();
    for (const overwrite of [true, false]) {
      expect(await failureOf(remote.placePart(path, target, { overwrite }))).toMatchObject({
        code: 'not_a_file',
      });
    }
  });

  it('places one of two at once when overwrite is false', async () => {
    const remote = await session();
    const paths = [await filled(remote, 'one'), await filled(remote, 'two')];
    const target = join(makeFolder(), 'target');
    const outcomes = await Promise.allSettled(
      paths.map((path) => remote.placePart(path, target, { overwrite: false })),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('is refused when the directory was replaced with a link', async () => {
    const remote = await session();
    const path = await filled(remote, 'new');
    const folder = join(path, '..');
    renameSync(folder, `${folder}-moved`);
    symlinkSync(`${folder}-moved`, folder);
    expect(
      await failureOf(remote.placePart(path, join(folder, 'target'), { overwrite: true })),
    ).toMatchObject({ code: 'path_outside_allowed' });
    expect(existsSync(join(folder, 'target'))).toBe(false);
  });
});

describe('removing a part file', () => {
  it('succeeds when it is already gone', async () => {
    const remote = await session();
    const path = await part(remote);
    await remote.removePart(path);
    await remote.removePart(path);
    expect(existsSync(path)).toBe(false);
    expect(await failureOf(remote.partSize(path))).toMatchObject({ code: 'file_not_found' });
  });
});

function mountSmallDisk(path: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=777', 'tmpfs', path], { stdio: 'ignore' });
    return true;
  } catch {
    return false; // In a container that may not mount.
  }
}

describe('a full disk', () => {
  const content = randomBytes(4 * MIB);

  it.for(['putPart', 'appendPart'] as const)('%s reports remote_disk_full', async (how, { skip }) => {
    const folder = makeFolder();
    if (!mountSmallDisk(folder)) skip('this machine may not mount a tmpfs');
    const remote = await session();
    const path = join(folder, '.part');
    const source = inPieces(content);
    try {
      if (how === 'appendPart') await remote.createPart(path, { is_private: false });
      const writing =
        how === 'putPart'
          ? put(remote, path, source, { signal: NEVER })
          : remote.appendPart(path, 0, source, { signal: NEVER });
      expect(await failureOf(writing)).toMatchObject({ code: 'remote_disk_full' });
      const kept = readFileSync(path);
      if (how === 'appendPart') expect(hash(kept)).toBe(hash(content.subarray(0, kept.length)));
      await remote.removePart(path);
      expect(readdirSync(folder)).toEqual([]);
      await isClosed(path);
    } finally {
      execFileSync('umount', ['-l', folder]);
    }
  });
});
