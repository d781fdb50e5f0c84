import { describe, expect, it } from 'vitest';
import { createRing } from '#core/lib/bytes/ring.ts';
import { createHistory } from '#core/terminals/live/history.ts';

const KIB = 1024;

/** Each byte is its own offset. */
const NUMBERS = new Uint8Array(1024 * KIB);
for (let at = 0; at < NUMBERS.length; at += 1) NUMBERS[at] = at % 251;
const numbered = (from: number, length: number) => NUMBERS.subarray(from, from + length);

/** `toEqual` is slow: it compares byte by byte. */
const areSame = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;

describe('A ring', () => {
  it('keeps the latest bytes at their offsets, however they are chunked', () => {
    const ring = createRing(64 * KIB);
    let offset = 0;
    for (let round = 0; round < 400; round += 1) {
      const length = (round * 977) % 3001;
      ring.append(numbered(offset, length));
      offset += length;
      expect(ring.end()).toBe(offset);
      expect(ring.start()).toBe(Math.max(0, offset - 64 * KIB));
      const from = ring.start() + ((round * 31) % Math.max(1, offset - ring.start()));
      expect(areSame(ring.slice(from, offset), numbered(from, offset - from))).toBe(true);
    }
  });

  it('accepts a chunk that is larger than the ring', () => {
    const ring = createRing(8 * KIB);
    ring.append(numbered(0, 100));
    ring.append(numbered(100, 20 * KIB));
    expect(areSame(ring.slice(ring.start(), ring.end()), numbered(ring.end() - 8 * KIB, 8 * KIB))).toBe(true);
  });
});

describe('A ring that is limited later', () => {
  it.each([100, 8 * KIB, 50 * KIB])('keeps its latest bytes after %i at their offsets', (written) => {
    const ring = createRing(64 * KIB);
    ring.append(numbered(0, written));
    ring.limit(8 * KIB);
    ring.append(numbered(written, 10));
    ring.append(numbered(written + 10, 3 * KIB));
    const end = written + 10 + 3 * KIB;
    expect([ring.start(), ring.end()]).toEqual([Math.max(0, end - 8 * KIB), end]);
    expect(areSame(ring.slice(ring.start(), end), numbered(ring.start(), end - ring.start()))).toBe(true);
    expect(ring.size_bytes()).toBeLessThanOrEqual(8 * KIB);
  });

  it('grows again when the limit is raised', () => {
    const ring = createRing(64 * KIB);
    ring.append(numbered(0, 50 * KIB));
    ring.limit(8 * KIB);
    ring.limit(64 * KIB);
    ring.append(numbered(50 * KIB, 40 * KIB));
    expect(ring.start()).toBe(42 * KIB);
    expect(areSame(ring.slice(42 * KIB, 90 * KIB), numbered(42 * KIB, 48 * KIB))).toBe(true);
  });
});

describe('A history', () => {
  it('remembers that a guest chose a size, even if the owner changes it at once', () => {
    const history = createHistory({ cols: 80, rows: 24 });
    history.append(numbered(0, 10));
    history.resized({ cols: 80, rows: 100 }, true);
    history.resized({ cols: 80, rows: 99 }, false);
    const sizes = history.steps().filter((step) => step.kind === 'size');
    expect(sizes.map(({ by_guest }) => by_guest)).toEqual([false, true]);
  });

  it('remembers the terminal size at each offset', () => {
    const history = createHistory({ cols: 80, rows: 24 });
    history.append(Buffer.from('wide'));
    history.resized({ cols: 40, rows: 24 }, false);
    history.resized({ cols: 20, rows: 24 }, false);
    history.append(Buffer.from('narrow'));
    expect(
      history
        .steps()
        .map((step) => (step.kind === 'size' ? step.size.cols : String(Buffer.from(step.bytes)))),
    ).toEqual([80, 'wide', 20, 'narrow']);
  });

  it('starts with a whole line once the oldest bytes are dropped', () => {
    const history = createHistory({ cols: 80, rows: 24 });
    const line = Buffer.from(`${'x'.repeat(96)}\r\n`);
    for (let count = 0; count < 20_000; count += 1) history.append(line);
    const [, output] = history.steps();
    const bytes = output?.kind === 'output' ? output.bytes : new Uint8Array();
    expect(bytes.length % line.length).toBe(0);
    expect(bytes.length).toBeGreaterThan(KIB * KIB);
  });
});
