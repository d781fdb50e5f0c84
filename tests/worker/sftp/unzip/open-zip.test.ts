import { describe, expect, it } from 'vitest';
import type { RemoteFile } from '#core/ports/files.ts';
import { openZip } from '../../../../apps/worker/sftp/unzip/open-zip.ts';
import { zipOf } from '../../../support/features/zip-files.ts';
import { NEVER } from '../../setup.ts';

/** A file in memory that records what is read of it. */
function fileOf(bytes: Uint8Array, reads: [number, number][] = []): RemoteFile {
  const unused = () => Promise.reject(new Error('Nobody asks for this here'));
  return {
    stat: { kind: 'file', size: bytes.length, mode: 0o644, modified: '2024-05-06T07:08:10Z' },
    readPart: async (start, length) => {
      reads.push([start, length]);
      return bytes.slice(start, start + length);
    },
    stream: () => new ReadableStream(),
    readAll: unused,
    close: async () => {},
  };
}

const THREE = zipOf(['a', 'b', 'c'].map((name) => ({ name, content: name.repeat(100_000), method: 0 })));
const limits = { members: 100, directory_bytes: 1000, signal: NEVER };

describe('The directory of an archive', () => {
  it('is read without the content', async () => {
    const reads: [number, number][] = [];
    await openZip(fileOf(THREE, reads)).readDirectory(limits);
    expect(reads.reduce((sum, [, length]) => sum + length, 0)).toBeLessThan(70_000);
  });

  it.each([
    ['members', { members: 2 }, 2],
    ['bytes', { directory_bytes: 100 }, 2],
  ])('ends at a limit of %s, and says so', async (_what, limit, count) => {
    const { members, truncated } = await openZip(fileOf(THREE)).readDirectory({ ...limits, ...limit });
    expect([members.length, truncated]).toEqual([count, true]);
  });

  it('is found behind a program that extracts itself', async () => {
    const zip = openZip(fileOf(Buffer.concat([Buffer.alloc(5000, 'program'), THREE])));
    const { members, start } = await zip.readDirectory(limits);
    const [first] = members;
    if (!first) throw new Error('There is no member');
    const pieces: Uint8Array[] = [];
    for await (const bytes of zip.content(first, start)) pieces.push(bytes);
    expect(Buffer.concat(pieces).toString()).toBe('a'.repeat(100_000));
  });
});
