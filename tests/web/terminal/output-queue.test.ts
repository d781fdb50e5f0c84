import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OutputQueue } from '../../../apps/web/terminal/output/queue.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const KIB = 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A terminal that parses on demand. */
function setUp() {
  const written: string[] = [];
  const waiting: (() => void)[] = [];
  let is_alternate = false;
  let told = 0;
  let torn = 0;
  const queue = new OutputQueue({
    sink: {
      write(part, parsed) {
        written.push(new TextDecoder().decode(part));
        waiting.push(parsed);
      },
      isAlternate: () => is_alternate,
    },
    parsed: (count) => {
      told += count;
    },
    onTorn: () => {
      torn += 1;
    },
  });
  const parse = (count = 1) => waiting.splice(0, count).forEach((parsed) => void parsed());
  return {
    queue,
    parse,
    parseAll() {
      vi.runAllTimers();
      while (waiting.length > 0) parse(waiting.length);
    },
    text: () => written.join(''),
    enterAlternate: () => {
      is_alternate = true;
    },
    told: () => told,
    torn: () => torn,
  };
}

/** Numbered lines of this many bytes. */
function lines(size: number): string {
  let text = '';
  for (let line = 0; text.length < size; line += 1) text += `line ${line}\n`;
  return text;
}

describe('queued output of a terminal', () => {
  it('is written in slices, with few in progress', () => {
    const { queue, parse, parseAll, text } = setUp();
    const flood = lines(500 * KIB);
    queue.push(bytes(flood));
    expect(text()).toHaveLength(8 * KIB);
    parse();
    expect(text()).toHaveLength(12 * KIB);
    parseAll();
    expect(text()).toBe(flood);
  });

  it('is acknowledged once it is parsed', () => {
    const { queue, parse, told } = setUp();
    queue.push(bytes('one'));
    expect(told()).toBe(0);
    parse();
    expect(told()).toBe(3);
  });
});

describe('a size that waits for the output before it', () => {
  it('is applied once that output and the announced screen are drawn, not what follows', () => {
    const { queue, parse, parseAll, text } = setUp();
    const seen: string[] = [];
    queue.setShown(false);
    queue.push(bytes('before '));
    queue.whenDrawn(() => seen.push(text()), 'screen '.length);
    queue.setShown(true);
    parseAll();
    expect(seen).toEqual([]);
    queue.push(bytes('screen '));
    queue.push(bytes('after'));
    parse();
    expect(seen).toEqual(['before screen after']); // written, but not parsed yet
    queue.whenDrawn(() => seen.push('again'));
    expect(seen).toHaveLength(1);
    parse();
    expect(seen).toEqual(['before screen after', 'again']);
  });
});

describe('an interrupt', () => {
  it('drops what is not yet shown up to the last whole line, and acknowledges it', () => {
    const { queue, parseAll, text, told } = setUp();
    const flood = lines(500 * KIB);
    queue.push(bytes(`${flood}$ prompt`));
    queue.interrupt();
    parseAll();
    expect(text().length).toBeLessThan(9 * KIB);
    expect(text().endsWith('\x18\x1b[0m\x0f\x1b(B\r\n$ prompt')).toBe(true); // Nothing that was started continues.
    expect(told()).toBe(flood.length + 8);
  });

  it('keeps the modes that the dropped output has set', () => {
    const { queue, parseAll, text } = setUp();
    queue.push(bytes(`${lines(200 * KIB)}\x1b[?25l\x1b[?2004l\x1b[?25h${lines(100 * KIB)}`));
    queue.interrupt();
    parseAll();
    expect(text().endsWith('\x1b[?25l\x1b[?2004l\x1b[?25h\r\n')).toBe(true);
  });

  it('drops nothing after a switch of the screen buffer', () => {
    const { queue, parseAll, text } = setUp();
    const program = `\x1b[?1049h${lines(100 * KIB)}`;
    queue.push(bytes(lines(200 * KIB) + program));
    queue.interrupt();
    parseAll();
    expect(text().endsWith(program)).toBe(true);
  });

  it.each([
    ['in a full-screen program', (it: ReturnType<typeof setUp>) => it.enterAlternate(), 500 * KIB],
    ['of little', () => {}, 30 * KIB],
  ])('drops nothing %s', (_when, prepare, size) => {
    const opened = setUp();
    const flood = lines(size);
    prepare(opened);
    opened.queue.push(bytes(flood));
    opened.queue.interrupt();
    opened.parseAll();
    expect(opened.text()).toBe(flood);
  });

  it('also drops what was in transit, in packets of any size, and acknowledges it at once', () => {
    const { queue, parse, parseAll, text, told } = setUp();
    const flood = lines(300 * KIB);
    queue.push(bytes(flood));
    queue.interrupt();
    for (let at = 0; at < flood.length; at += 5 * KIB) {
      queue.push(bytes(flood.slice(at, at + 5 * KIB)));
      vi.advanceTimersByTime(10);
      parse();
    }
    expect([text(), told()]).toEqual([flood.slice(0, 8 * KIB), 2 * flood.length]);
    queue.push(bytes('$ prompt'));
    parseAll();
    expect(text().slice(8 * KIB)).toBe('\x18\x1b[0m\x0f\x1b(B\r\n$ prompt');
  });

  it('drops what is in transit on a slow network, although the terminal keeps up with it', () => {
    const { queue, parseAll, text } = setUp();
    const flood = lines(500 * KIB);
    queue.interrupt();
    for (let at = 0; at < flood.length; at += 16 * KIB) {
      queue.push(bytes(flood.slice(at, at + 16 * KIB)));
      vi.advanceTimersByTime(20);
    }
    parseAll();
    expect(text().length).toBeLessThan(33 * KIB);
  });

  it('drops nothing that follows the next command', () => {
    const { queue, parseAll, text } = setUp();
    queue.push(bytes(lines(300 * KIB)));
    queue.interrupt();
    queue.entered();
    const after = lines(200 * KIB);
    queue.push(bytes(after));
    parseAll();
    expect(text().endsWith(`\r\n${after}`)).toBe(true);
    expect(text().length).toBeLessThan(210 * KIB);
  });

  it('delays a program that goes on by a second at most', () => {
    const { queue, parse, text } = setUp();
    const flood = lines(100 * KIB);
    queue.push(bytes(flood));
    queue.interrupt();
    parse(2);
    for (let passed_ms = 0; passed_ms < 1000; passed_ms += 20) {
      vi.advanceTimersByTime(20);
      queue.push(bytes('goes on\n'));
    }
    expect(text()).toMatch(/goes on\n$/);
  });
});

describe('output of a hidden terminal', () => {
  it('is not drawn and blocks nothing; it is shown later', () => {
    const { queue, parseAll, text, told } = setUp();
    queue.setShown(false);
    queue.push(bytes('hidden'));
    expect([text(), told()]).toEqual(['', 6]);
    queue.setShown(true);
    parseAll();
    expect([text(), told()]).toEqual(['hidden', 6]);
  });

  it('is dropped from the oldest line when there is too much, and the screen is requested', () => {
    const { queue, parseAll, text, told, torn } = setUp();
    const flood = lines(3000 * KIB);
    queue.setShown(false);
    for (let at = 0; at < flood.length; at += 64 * KIB) queue.push(bytes(flood.slice(at, at + 64 * KIB)));
    queue.setShown(true);
    parseAll();
    expect(text().startsWith('\x18')).toBe(true);
    expect(text().split('\n')[1]).toMatch(/^line \d+$/);
    expect(text().endsWith(flood.slice(-1000 * KIB))).toBe(true);
    expect(text().length).toBeLessThan(2049 * KIB);
    expect([told(), torn()]).toEqual([flood.length, 1]);
  });

  it('that was in transit when it was hidden is acknowledged', () => {
    const { queue, parseAll, told } = setUp();
    queue.push(bytes(lines(500 * KIB)));
    queue.setShown(false);
    const before = told();
    parseAll();
    queue.setShown(true);
    parseAll();
    expect(before).toBe(told());
  });
});
