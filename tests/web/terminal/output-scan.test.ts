import { describe, expect, it } from 'vitest';
import { createOutputScan } from '../../../apps/web/terminal/alerts/output-scan.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function setUp() {
  let bells = 0;
  const heard: [number, string][] = [];
  const scan = createOutputScan(new Set([9, 777]), {
    bell: () => {
      bells += 1;
    },
    osc: (number, data) => void heard.push([number, data]),
  });
  return { heard, bells: () => bells, reset: scan.reset, read: (text: string) => scan.read(bytes(text)) };
}

describe('The scan of output that is not drawn', () => {
  it.each([
    ['\x07', 1],
    ['\x1b[1\x07m', 1],
    ['\x1b]0;title\x07', 0],
    ['\x1b]0;title\x1b\\\x07', 1],
    ['\x1bPq\x07\x1b\\', 0],
    ['\x1b]0;torn\x18\x07', 1],
    ['\x07'.repeat(100_000), 1],
  ])('rings for %j %i times', (text, count) => {
    const { read, bells } = setUp();
    read(text);
    expect(bells()).toBe(count);
  });

  it.each([
    ['word', true],
    ['é', true],
    ['\r\n ', false],
    ['\x1b[2J\x1b[1;1H', false],
    ['\x1b(B\x1b=', false],
    ['\x1b]777;notify;a;b\x07', false],
    ['\x1b]0;title\x1b\\$', true],
    ['\x1bPdata\x1b\\', false],
  ])('finds that %j prints something: %s', (text, is_printed) => {
    expect(setUp().read(text)).toBe(is_printed);
  });

  it('reads a sequence that arrives byte by byte, in UTF-8', () => {
    const { read, heard } = setUp();
    for (const byte of bytes('\x1b]9;día\x1b\\')) read(String.fromCharCode(byte > 127 ? 63 : byte));
    expect(heard).toEqual([[9, 'd??a']]);
    read('\x1b]9;día\x07\x1b]8;;http://a\x07\x1b]777;x;y\x07');
    expect(heard.slice(1)).toEqual([
      [9, 'día'],
      [777, 'x;y'],
    ]);
  });

  it('ignores a sequence that is too long, and goes on after it', () => {
    const { read, heard } = setUp();
    read(`\x1b]9;${'x'.repeat(100_000)}`);
    read('\x07\x1b]9;next\x07');
    expect(heard).toEqual([[9, 'next']]);
  });

  it('forgets an unfinished sequence when the output begins again', () => {
    const { read, reset, heard } = setUp();
    read('\x1b]9;torn');
    reset();
    expect(read('text\x07')).toBe(true);
    expect(heard).toEqual([]);
  });
});
