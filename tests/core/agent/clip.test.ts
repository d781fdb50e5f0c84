import { describe, expect, it } from 'vitest';
import { cleaned, clipped, oneLine } from '#core/agent/clip.ts';

describe('text of a host', () => {
  it.each([
    ['\x1b[1;31mred\x1b[0m', 'red'],
    ['\x1b]0;title\x07after', 'after'],
    ['\x1b]8;;https://evil.test\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['\x1bP+q544e\x1b\\after', 'after'],
    ['\x1b(Bafter\x1bc', 'after'],
    ['a\x00b\x08c\x7fd\x9bm', 'abcdm'],
    ['one\r\ntwo\rthree\u2028four', 'one\ntwo\nthree\nfour'],
    ['right\u202eto left', 'rightto left'],
    ['pass\u200bword', 'password'],
    ['tag\u{e0041}s', 'tags'],
    ['half \ud800', 'half \ufffd'],
    ['tab\tand\nline', 'tab\tand\nline'],
    ['\x1b]never ends', ''],
  ])('is cleaned: %j', (text, expected) => {
    expect(cleaned(text)).toBe(expected);
  });

  it('is cleaned in linear time', () => {
    for (const piece of ['\x1b', '\x1b[', '\x1b[1', '\x1b]', '\x1bP', '\x1b]0;\x1b', '\r', '\u200b']) {
      const began = performance.now();
      cleaned(piece.repeat((1024 * 1024) / piece.length));
      expect(performance.now() - began).toBeLessThan(10_000); // quadratic time would take many minutes
    }
  }, 180_000);

  it('keeps its head and its tail when it is clipped, and says how much was cut', () => {
    const text = Array.from({ length: 1000 }, (_, line) => `line ${line}`).join('\n');
    const short = clipped(text, 1000);
    expect(short.length).toBeLessThan(1100);
    expect(short).toMatch(/^line 0\nline 1\n/);
    expect(short).toMatch(/\nline 998\nline 999$/);
    const [, cut] = /\n\[… (\d+) characters cut …\]\n/.exec(short) ?? [];
    const [head = '', tail = ''] = short.split(/\n\[….*\]\n/);
    expect(head.length + tail.length + Number(cut)).toBe(text.length);
    expect(head).toMatch(/line \d+$/);
    expect(tail).toMatch(/^line \d+\n/);
    expect(clipped(text, text.length)).toBe(text);
  });

  it('is clipped without halves of characters', () => {
    expect(() => encodeURIComponent(clipped('🎉'.repeat(1000), 101))).not.toThrow();
  });

  it('becomes one short line in a summary', () => {
    expect(oneLine('a\n\tb \x1b[31mc', 100)).toBe('a b c');
    expect(oneLine('x'.repeat(300), 200)).toHaveLength(200);
  });
});
