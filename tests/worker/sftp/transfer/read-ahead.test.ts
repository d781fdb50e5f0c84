import { createHash, randomBytes } from 'node:crypto';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { FileSession, RemoteFile } from '#core/ports/files.ts';
import { MAX_CHUNK_BYTES as CHUNK_BYTES } from '#worker/sftp/pool/flow-control.ts';
import { type ReadSource, readAhead } from '#worker/sftp/transfer/read.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';
import { failureOf, targetTo, worker } from '../../setup.ts';
import { openFilesOf } from '../open-files.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

const session = (): Promise<FileSession> => worker().files.open(targetTo(sshd));

function makeFile(size: number): { path: string; content: Buffer } {
  const content = randomBytes(size);
  const path = join(sshd.folder, `file-${size}`);
  writeFileSync(path, content);
  return { path, content };
}

const whole = (file: RemoteFile) => file.stream({ start: 0, end: file.stat.size - 1 });
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const collect = async (stream: ReadableStream<Uint8Array>) =>
  new Uint8Array(await new Response(stream).arrayBuffer());

const isOpen = async (path: string) => (await openFilesOf(sshd)).includes(path);
const closed = (path: string) => eventually(async () => expect(await isOpen(path)).toBe(false));

const MIB = 1024 * 1024;

/** Chunks of the largest size, 2 MiB of them. */
const next_bytes: ReadSource['next_bytes'] = (outstanding_bytes) =>
  outstanding_bytes + CHUNK_BYTES <= 2 * MIB ? CHUNK_BYTES : 0;

describe('download', () => {
  it.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 10 * MIB + 3])(
    'delivers %i bytes unchanged and closes the file',
    async (size) => {
      const { path, content } = makeFile(size);
      const file = await (await session()).openRead(path);
      expect(file.stat).toMatchObject({ kind: 'file', size });
      expect(hash(await collect(whole(file)))).toBe(hash(content));
      await closed(path);
    },
  );

  it('delivers eight at once unchanged', async () => {
    const { path, content } = makeFile(12 * MIB + 1);
    const remote = await session();
    const download = async () => hash(await collect(whole(await remote.openRead(path))));
    const hashes = await Promise.all(Array.from({ length: 8 }, download));
    expect(new Set(hashes)).toEqual(new Set([hash(content)]));
    await closed(path);
  });

  it('delivers a range, both ends included', async () => {
    const { path, content } = makeFile(2 * MIB);
    const file = await (await session()).openRead(path);
    const range = { start: CHUNK_BYTES - 5, end: CHUNK_BYTES * 3 + 6 };
    expect(hash(await collect(file.stream(range)))).toBe(hash(content.subarray(range.start, range.end + 1)));
  });

  it('closes the file at once when it is cancelled', async () => {
    const { path } = makeFile(32 * MIB);
    const remote = await session();
    const reader = whole(await remote.openRead(path)).getReader();
    await reader.read();
    expect(await isOpen(path)).toBe(true);
    await reader.cancel();
    await closed(path);
    await expect(remote.entry(path)).resolves.toMatchObject({ size: 32 * MIB });
  });

  it('closes a file that was never read', async () => {
    const { path } = makeFile(100);
    await (await (await session()).openRead(path)).close();
    await closed(path);
  });

  it('reads nothing before it is pulled', async () => {
    const read = vi.fn<ReadSource['read']>(async (_position, length) => [new Uint8Array(length)]);
    readAhead({ read, next_bytes, close() {} }, { start: 0, end: MIB });
    await new Promise(setImmediate);
    expect(read).not.toHaveBeenCalled();
  });

  it('fails when the host is killed, instead of ending early', async () => {
    const own = await startSshd();
    const path = join(own.folder, 'large');
    writeFileSync(path, randomBytes(64 * MIB));
    const reader = whole(await (await worker().files.open(targetTo(own))).openRead(path)).getReader();
    await reader.read();
    await own.killSessions();
    const drain = async () => {
      while (!(await reader.read()).done);
    };
    expect(await failureOf(drain())).toMatchObject({ code: 'host_disconnected' });
    await own.stop();
  });

  it('fails when the file shrinks during the read', async () => {
    const { path } = makeFile(32 * MIB);
    const reader = whole(await (await session()).openRead(path)).getReader();
    await reader.read();
    truncateSync(path, MIB);
    const drain = async () => {
      while (!(await reader.read()).done);
    };
    expect(await failureOf(drain())).toMatchObject({ code: 'sftp_failed' });
    await closed(path);
  });
});

describe('read-ahead', () => {
  const content = randomBytes(3 * CHUNK_BYTES + 17);
  const range = { start: 0, end: content.length - 1 };

  it('joins short reads in order', async () => {
    const read: ReadSource['read'] = async (position, length) => [
      content.subarray(position, position + Math.min(length, 10_007)),
    ];
    expect(hash(await collect(readAhead({ read, next_bytes, close() {} }, range)))).toBe(hash(content));
  });

  it('fills borrowed memory, short reads included, and delivers each chunk whole', async () => {
    const borrowed: Uint8Array[] = [];
    const borrow = (bytes: number) => borrowed[borrowed.push(new Uint8Array(bytes)) - 1];
    const read: ReadSource['read'] = async (position, length, room = new Uint8Array()) => {
      const part = content.subarray(position, position + Math.min(length, 10_007));
      room.set(part);
      return [room.subarray(0, part.length)];
    };
    const chunks: Uint8Array[] = [];
    for await (const chunk of readAhead({ read, borrow, next_bytes, close() {} }, range)) chunks.push(chunk);
    expect(hash(Buffer.concat(chunks))).toBe(hash(content));
    expect(chunks.every((chunk, index) => chunk.buffer === borrowed[index]?.buffer)).toBe(true);
  });

  it.each(['whole', 'short'])('never delivers what borrowed memory held before: %s reads', async (kind) => {
    const most_bytes = kind === 'short' ? 10_007 : CHUNK_BYTES;
    const read: ReadSource['read'] = async (position, length) => [
      content.subarray(position, position + Math.min(length, most_bytes)),
    ];
    const borrow = (bytes: number) => new Uint8Array(bytes).fill(7);
    expect(hash(await collect(readAhead({ read, borrow, next_bytes, close() {} }, range)))).toBe(
      hash(content),
    );
  });

  it('fails at a read without bytes behind a short one', async () => {
    const read: ReadSource['read'] = async (position, _, room = new Uint8Array()) => [
      room.subarray(0, position === 0 ? 10 : 0),
    ];
    const borrow = (bytes: number) => new Uint8Array(bytes);
    const failure = await failureOf(collect(readAhead({ read, borrow, next_bytes, close() {} }, range)));
    expect(failure).toMatchObject({ detail: expect.stringContaining('became shorter') });
  });

  it('delivers in order what arrives out of order', async () => {
    let delay = 8;
    const read: ReadSource['read'] = async (position, length) => {
      delay -= 2;
      await new Promise((resolve) => setTimeout(resolve, delay));
      return [content.subarray(position, position + length)];
    };
    expect(hash(await collect(readAhead({ read, next_bytes, close() {} }, range)))).toBe(hash(content));
  });

  it('keeps a bounded number of bytes in flight for a reader that stops', async () => {
    const read = vi.fn<ReadSource['read']>(async (_position, length) => [new Uint8Array(length)]);
    const reader = readAhead({ read, next_bytes, close() {} }, { start: 0, end: 1024 * MIB }).getReader();
    await reader.read();
    await new Promise(setImmediate);
    expect(read.mock.calls.length * CHUNK_BYTES).toBeLessThanOrEqual(2 * MIB);
  });

  it('closes its source once, even on failure', async () => {
    const close = vi.fn();
    const read = () => Promise.reject(new Error('broken'));
    await expect(collect(readAhead({ read, next_bytes, close }, range))).rejects.toThrow('broken');
    expect(close).toHaveBeenCalledTimes(1);
  });
});

describe('reading a whole file', () => {
  it('reads to the end, whatever the size says', async () => {
    const file = await (await session()).openRead('/proc/version');
    expect(file.stat.size).toBe(0);
    expect(Buffer.from(await file.readAll(MIB)).toString()).toContain('Linux');
  });

  it.each([0, 1, CHUNK_BYTES, 5 * MIB + 1])('delivers %i bytes unchanged', async (size) => {
    const { path, content } = makeFile(size);
    const file = await (await session()).openRead(path);
    expect(hash(await file.readAll(8 * MIB))).toBe(hash(content));
    await closed(path);
  });

  it('refuses more than the limit and closes the file', async () => {
    const { path } = makeFile(MIB + 1);
    const remote = await session();
    expect(await failureOf((await remote.openRead(path)).readAll(MIB))).toMatchObject({
      code: 'file_too_large',
    });
    await closed(path);
    const exact = await (await remote.openRead(path)).readAll(MIB + 1);
    expect(exact).toHaveLength(MIB + 1);
  });
});
