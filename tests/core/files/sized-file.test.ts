import { describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import { sized } from '#core/files/sized-file.ts';
import type { RemoteFile } from '#core/ports/files.ts';

/** A file with this content that claims to have another size. */
function fileOf(content: Uint8Array, size: number, refuse?: Fault) {
  const closed = { times: 0 };
  const readPart = async (start: number, length: number) => {
    if (refuse) throw refuse;
    return content.subarray(start, start + length);
  };
  const file: RemoteFile = {
    stat: { kind: 'file', size, mode: 0o644, modified: '2026-01-02T03:04:05Z' },
    stream: ({ start, end }) => new Blob([content.slice(start, end + 1)]).stream(),
    readPart,
    readAll: () => readPart(0, content.length),
    async close() {
      closed.times += 1;
    },
  };
  return { file, closed };
}

const bytesOf = async (file: RemoteFile) =>
  new Uint8Array(await new Response(file.stream({ start: 0, end: file.stat.size - 1 })).arrayBuffer());

describe('The size of a file', () => {
  it.each([
    ['more than it has, as in /sys', 4096],
    ['less than it has, as in /proc', 0],
  ])('is what can be read when the host reports %s', async (_what, size) => {
    const { file } = fileOf(Buffer.from('65536\n'), size);
    const found = await sized(file);
    expect([found.stat.size, Buffer.from(await bytesOf(found)).toString()]).toEqual([6, '65536\n']);
  });

  it('of a large file is what the host reports, and the file stays open', async () => {
    const content = new Uint8Array(100_000).fill(7);
    const { file, closed } = fileOf(content, content.length);
    const found = await sized(file);
    expect([found.stat.size, closed.times, (await bytesOf(found)).length]).toEqual([100_000, 0, 100_000]);
  });

  it('of a file that ends within the first read is what was read, however large it claims to be', async () => {
    const { file, closed } = fileOf(new Uint8Array(50_000), 10_000_000);
    expect([(await sized(file)).stat.size, closed.times]).toEqual([50_000, 1]);
  });

  it('is not answered where the host refuses to read, and the file is closed', async () => {
    const { file, closed } = fileOf(Buffer.from('secret'), 6, new Fault('permission_denied'));
    await expect(sized(file)).rejects.toMatchObject({ code: 'permission_denied' });
    expect(closed.times).toBe(1);
  });
});
