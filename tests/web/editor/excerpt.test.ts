import { describe, expect, it } from 'vitest';
import { decodePart, type Encoding, guessEncoding } from '../../../apps/web/editor/excerpt/encodings.ts';
import { grown } from '../../../apps/web/editor/excerpt/excerpt.ts';
import { createFollower, PAUSES_MS } from '../../../apps/web/editor/excerpt/follow.ts';
import { type FilePart, PART_BYTES, type Wanted } from '../../../apps/web/editor/excerpt/reading.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe('the encoding of a text', () => {
  it.each<[string, Uint8Array, Encoding | undefined]>([
    ['UTF-8', utf8('naïve ✓'), 'utf-8'],
    ['UTF-8 that is cut in a character', utf8('✓ ✓').subarray(0, 6), 'utf-8'],
    ['a byte above ASCII that is not UTF-8', Uint8Array.of(0x63, 0xe9, 0x0a), 'windows-1252'],
    ['the mark of UTF-16', Uint8Array.of(0xff, 0xfe, 0x41, 0), 'utf-16le'],
    ['a zero in every other byte', Uint8Array.of(0, 0x41, 0, 0x42, 0, 0x43), 'utf-16be'],
    ['zeros elsewhere', Uint8Array.of(1, 0, 0, 0, 5, 6, 7, 8), undefined],
  ])('is guessed from %s', (_what, bytes, encoding) => {
    expect(guessEncoding(bytes, 0)).toBe(encoding);
  });

  it('is guessed from a part that begins in a character', () => {
    expect(guessEncoding(utf8('✓ ✓').subarray(1), 1)).toBe('utf-8');
  });

  it('decodes a part that begins in a character', () => {
    expect(decodePart(utf8('✓ ok').subarray(1), 'utf-8', 1)).toBe(' ok');
    expect(decodePart(Uint8Array.of(0x63, 0xe9), 'windows-1252', 0)).toBe('cé');
    expect(decodePart(Uint8Array.of(0, 0x41, 0), 'utf-16le', 7)).toBe('A');
  });
});

/** A file that the test changes. */
function fileOf(content: string) {
  let present = utf8(content);
  async function read(wanted: Wanted): Promise<FilePart | undefined> {
    const size = present.length;
    const offset = wanted === 'last' ? Math.max(0, size - PART_BYTES) : wanted.from;
    if (offset >= size) return undefined;
    return { bytes: present.slice(offset, offset + PART_BYTES), offset, size };
  }
  function write(next: string): void {
    present = utf8(next);
  }
  return { read, write };
}

describe('a file that is followed', () => {
  const start = 'line one\n'.repeat(20);

  async function follow() {
    const file = fileOf(start);
    const known = await file.read('last');
    if (!known) throw new Error('It is empty');
    return { file, follower: createFollower(known, file.read) };
  }

  it('gives what is written to its end', async () => {
    const { file, follower } = await follow();
    for (const [content, more] of [
      [`${start}two`, 'two'],
      [`${start}two\nthree`, '\nthree'],
    ] as const) {
      file.write(content);
      const news = await follower.look();
      expect(news.kind === 'more' && text(news.bytes)).toBe(more);
    }
  });

  it('is asked less often while nothing is written', async () => {
    const { file, follower } = await follow();
    for (let looks = 0; looks < 10; looks += 1) expect((await follower.look()).kind).toBe('nothing');
    expect(follower.pause_ms()).toBe(PAUSES_MS.most);
    file.write(`${start}!`);
    await follower.look();
    expect(follower.pause_ms()).toBe(PAUSES_MS.least);
  });

  it.each([
    ['cut off', 'short'],
    ['emptied', ''],
    ['replaced by a longer one', 'another\n'.repeat(40)],
    ['far ahead', start + 'x'.repeat(PART_BYTES)],
  ])('is shown anew when it was %s', async (_what, content) => {
    const { file, follower } = await follow();
    file.write(content);
    const news = await follower.look();
    expect(news.kind === 'anew' && text(news.part.bytes)).toBe(content.slice(-PART_BYTES));
    file.write(`${content}more`);
    const next = await follower.look();
    expect(['more', 'anew']).toContain(next.kind);
  });

  it('keeps two megabytes, from the start of a line', () => {
    const part = { bytes: utf8('a\n'.repeat(PART_BYTES)), offset: 10, size: 0 };
    const next = grown(part, utf8('end\n'), 99);
    expect(next.bytes.length).toBeLessThanOrEqual(2 * PART_BYTES);
    expect([text(next.bytes.slice(-4)), next.size, next.offset > 10]).toEqual(['end\n', 99, true]);
  });
});
