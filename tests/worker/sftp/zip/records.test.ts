import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pack } from '#worker/sftp/zip/compress.ts';
import { cleanSegment, createZipNames } from '#worker/sftp/zip/names.ts';
import { createSkipped } from '#worker/sftp/zip/plan.ts';
import { DEFLATED, STORED } from '#worker/sftp/zip/records.ts';
import { type ZipMember, zipBytes } from '#worker/sftp/zip/stream.ts';

const MODIFIED = new Date('2026-01-02T03:04:05Z');
const ENTRY = { mode: 0o640, modified: MODIFIED };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-zip-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function whole(name: string, content: string): ZipMember {
  const bytes = Buffer.from(content);
  return { kind: 'whole', name, ...ENTRY, method: STORED, bytes, size: bytes.length, crc: crc32(bytes) };
}

async function* piecesOf(...pieces: readonly Uint8Array[]) {
  yield* pieces;
}

const streamed = (name: string, expected_size: number, pieces: AsyncIterable<Uint8Array>): ZipMember => ({
  kind: 'stream',
  name,
  ...ENTRY,
  expected_size,
  pieces,
});

async function* inTurn(members: Iterable<ZipMember>) {
  yield* members;
}

async function write(name: string, members: Iterable<ZipMember>): Promise<string> {
  const path = join(folder, name);
  const pieces: Uint8Array[] = [];
  for await (const piece of zipBytes(inTurn(members))) pieces.push(piece);
  writeFileSync(path, Buffer.concat(pieces));
  return path;
}

/** What Python's zipfile reads from an archive, after checking every member. */
function inspect(path: string, expression: string): unknown {
  const script = `import json, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
print(json.dumps(${expression}))`;
  return JSON.parse(execFileSync('python3', ['-c', script, path], { maxBuffer: 2 ** 26 }).toString());
}

const unzipTest = (path: string) => execFileSync('unzip', ['-tqq', path]);

describe('an archive', () => {
  it('contains files and directories with mode, time and content', async () => {
    const members = [
      { kind: 'directory' as const, name: 'päth', ...ENTRY, mode: 0o750 },
      whole('päth/ünï', 'hello'),
    ];
    const path = await write('small.zip', members);
    unzipTest(path);
    const told = inspect(
      path,
      '[[i.filename, i.external_attr >> 16, i.date_time, z.read(i).decode(), i.is_dir()] for i in z.infolist()]',
    );
    expect(told).toEqual([
      ['päth/', 0o40750, [2026, 1, 2, 3, 4, 4], '', true],
      ['päth/ünï', 0o100640, [2026, 1, 2, 3, 4, 4], 'hello', false],
    ]);
  });

  it('has UTC timestamps for programs that read the extended timestamp field', async () => {
    const path = await write('time.zip', [whole('file', 'x')]);
    execFileSync('unzip', ['-q', '-o', path, 'file'], {
      cwd: folder,
      env: { ...process.env, TZ: 'Asia/Tokyo' },
    });
    const seconds = execFileSync('stat', ['-c', '%Y', 'file'], { cwd: folder }).toString().trim();
    expect(Number(seconds) * 1000).toBe(MODIFIED.getTime());
  });

  it.each([
    ['before 1980', '1971-05-06T00:00:00Z', [1980, 1, 1]],
    ['after 2107', '2150-05-06T00:00:00Z', [2107, 12, 31]],
  ])('clamps a time %s', async (_what, time, date) => {
    const path = await write('clamp.zip', [{ ...whole('file', 'x'), modified: new Date(time) }]);
    expect(inspect(path, 'z.infolist()[0].date_time[:3]')).toEqual(date);
  });

  it('is valid when it is empty', async () => {
    expect(inspect(await write('empty.zip', []), 'z.namelist()')).toEqual([]);
  });

  it('streams a member of unknown size, and records the size afterwards', async () => {
    const text = Buffer.from('to be compressed '.repeat(5000));
    const noise = Buffer.from(
      Array.from({ length: 5000 }, (_, index) => (index * 7919 * 31 ** (index % 5)) & 255),
    );
    const path = await write('streamed.zip', [
      streamed('longer', 5, piecesOf(text, text)),
      streamed('noise.gz', 5, piecesOf(noise)),
      streamed('nothing', 100, piecesOf()),
    ]);
    unzipTest(path);
    expect(inspect(path, '[[i.filename, i.compress_type, i.file_size] for i in z.infolist()]')).toEqual([
      ['longer', DEFLATED, text.length * 2],
      ['noise.gz', STORED, noise.length],
      ['nothing', STORED, 0],
    ]);
  });

  it('is ZIP64 beyond 65,535 members', async () => {
    const members = Array.from({ length: 70_000 }, (_, index) => whole(`d/${index}`, String(index)));
    const path = await write('many.zip', members);
    expect(inspect(path, '[len(z.infolist()), z.read("d/69999").decode()]')).toEqual([70_000, '69999']);
    unzipTest(path);
  });

  it('is ZIP64 beyond 4 GiB, for the member and for those that follow', async () => {
    const zeros = Buffer.alloc(64 * 1024 * 1024);
    const size = 65 * zeros.length;
    const parts: Buffer[] = [];
    const bytes = zipBytes(
      inTurn([streamed('huge.mp4', size, piecesOf(...Array<Buffer>(65).fill(zeros))), whole('after', 'x')]),
    );
    let length = 0;
    for await (const piece of bytes) {
      length += piece.length;
      if (piece.length < zeros.length) parts.push(Buffer.from(piece));
    }
    const records = Buffer.concat(parts);
    expect(length - records.length).toBe(size);
    const sizes_after = records.indexOf(Buffer.from([0x50, 0x4b, 7, 8]));
    expect(records.readBigUInt64LE(sizes_after + 8)).toBe(BigInt(size));
    expect(records.readBigUInt64LE(sizes_after + 16)).toBe(BigInt(size));
    const end64 = records.indexOf(Buffer.from([0x50, 0x4b, 6, 6]));
    expect(records.readBigUInt64LE(end64 + 32)).toBe(2n);
    const central = records.readBigUInt64LE(end64 + 48);
    expect(Number(central)).toBeGreaterThan(size);
    expect(records.readUInt32LE(records.length - 6)).toBe(0xffff_ffff);
  }, 180_000);

  it('cancels the source of a member that is not read to its end', async () => {
    let ended = false;
    async function* source() {
      try {
        for (;;) yield Buffer.alloc(1000);
      } finally {
        ended = true;
      }
    }
    const bytes = zipBytes(inTurn([streamed('endless', 5, source())]));
    await bytes.next();
    await bytes.return(undefined);
    expect(ended).toBe(true);
  });
});

describe('compression', () => {
  it('deflates what becomes smaller', async () => {
    const raw = Buffer.from('abc '.repeat(1000));
    const { method, bytes } = await pack('notes.txt', raw);
    expect(method).toBe(DEFLATED);
    expect(inflateRawSync(bytes).equals(raw)).toBe(true);
  });

  it.each([64, 255, 256, 257, 511, 512, 4096, 32_768, 32_769, 1_000_000])(
    'returns %i bytes unchanged',
    async (size) => {
      const raw = Buffer.from(Array.from({ length: size }, (_, index) => index % 251));
      const { method, bytes } = await pack('data', raw);
      expect((method === DEFLATED ? inflateRawSync(bytes) : Buffer.from(bytes)).equals(raw)).toBe(true);
    },
  );

  it('stores what is already compressed or would not become smaller', async () => {
    const noise = Buffer.from(Array.from({ length: 300 }, (_, index) => (index * index * 2654435761) >>> 13));
    expect((await pack('noise', noise)).method).toBe(STORED);
    expect((await pack('Photo.JPG', Buffer.alloc(10_000))).method).toBe(STORED);
  });
});

describe('names in an archive', () => {
  it.each([
    ['..', '_'],
    ['.', '_'],
    ['', '_'],
    ['...', '...'],
    ['a..b', 'a..b'],
    ['C:', 'C_'],
    ['c:secret', 'c_secret'],
    ['\\\\host\\share', '__host_share'],
    ['..\\..\\up', '.._.._up'],
    ['new\nline\u0000\u007f\u0085', 'new_line___'],
    ['日本語 🎉', '日本語 🎉'],
  ])('%j becomes %j', (name, cleaned) => {
    expect(cleanSegment(name)).toBe(cleaned);
  });

  it('are never absolute and never contain ..', () => {
    const { file } = createZipNames();
    expect(file('/etc/passwd')).toBe('_/etc/passwd');
    expect(file('a/../../b')).toBe('a/_/_/b');
  });

  it('that become equal are numbered before the extension, and keep their case', () => {
    const { file } = createZipNames();
    const names = ['a\nb.txt', 'a\tb.txt', 'a_b.txt', 'A_b.txt', '.x', '.x'].map(file);
    expect(names).toEqual(['a_b.txt', 'a_b (2).txt', 'a_b (3).txt', 'A_b.txt', '.x', '.x (2)']);
  });

  it('inside a renamed directory follow it', () => {
    const { file, directory } = createZipNames();
    expect(directory('a\\b')).toBe('a_b');
    expect(directory('a_b')).toBe('a_b (2)');
    expect(directory('a_b/sub')).toBe('a_b (2)/sub');
    expect(file('a_b/sub/f')).toBe('a_b (2)/sub/f');
    expect(file('a\\b/f')).toBe('a_b/f');
  });
});

describe('the list of skipped members', () => {
  it('has one line each, and counts those beyond ten thousand', () => {
    const skipped = createSkipped();
    expect(skipped.text()).toBeUndefined();
    for (let nth = 0; nth < 10_005; nth += 1) skipped.add(`a\n${nth}`, 'gone');
    const lines = skipped.text()?.split('\n') ?? [];
    expect([lines.length, lines[0], lines.at(-2)]).toEqual([10_002, 'a_0 — gone', '… and 5 more']);
  });
});
