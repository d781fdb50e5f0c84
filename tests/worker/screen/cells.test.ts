import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createEmulator, feed } from '#worker/screen/emulator.mjs';

const SCRIPTS =
  /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Balinese}\p{Script=Javanese}]/u;
const MARKS = /[\p{Mn}\p{Me}\p{Mc}\p{Cf}]/u;
const UNLIKE_GLIBC = new Set([0x1171e]); // a spacing mark since Unicode 15, after glibc 2.36

/** What wcwidth(3) of this system says about each character; -1 for what it does not know. */
function wcwidths(codes: readonly number[]): number[] {
  const program = [
    'import ctypes, json, sys',
    'libc = ctypes.CDLL(None)',
    'libc.setlocale(6, b"C.UTF-8")',
    'print(json.dumps([libc.wcwidth(code) for code in json.load(sys.stdin)]))',
  ];
  const options = { input: JSON.stringify(codes), encoding: 'utf8' } as const;
  return JSON.parse(execFileSync('python3', ['-c', program.join('\n')], options)) as number[];
}

const emulator = () => createEmulator({ size: { cols: 80, rows: 4 }, scrollback: 0, keeps_erased: false });

/** The column after each text, and how it is stored. */
async function written(texts: readonly string[]) {
  const terminal = emulator();
  const found: { cells: number; text: string | undefined }[] = [];
  const look = () => {
    const { active } = terminal.buffer;
    found.push({ cells: active.cursorX, text: active.getLine(0)?.translateToString(true) });
  };
  const steps = texts.map((text) => ({ data: `\x1b[H\x1b[2J${text}` }));
  await feed(terminal, steps, { done: look, after: '' });
  return found;
}

const cellsOf = async (...texts: string[]) => (await written(texts)).map(({ cells }) => cells);

describe('A character takes as many cells as wcwidth(3) counts', () => {
  it.each([
    ['of the scripts with spacing marks', SCRIPTS],
    ['among all marks and invisible characters', MARKS],
  ])('%s', { timeout: 180_000 }, async (_name, wanted) => {
    const codes = Array.from({ length: 0x1_0000 }, (_none, at) => [at, at + 0x1_0000])
      .flat()
      .filter((code) => code >= 0xa0 && wanted.test(String.fromCodePoint(code)) && !UNLIKE_GLIBC.has(code));
    const told = wcwidths(codes);
    const known = codes.filter((_code, at) => told[at] !== -1);
    const cells = await cellsOf(...known.map((code) => `क${String.fromCodePoint(code)}`));
    const expected = told.filter((width) => width !== -1);
    const wrong = known.filter((_code, at) => (cells[at] ?? 0) - 1 !== expected[at]);
    expect(wrong.map((code) => code.toString(16))).toEqual([]);
    expect(known.length).toBeGreaterThan(1000);
  });

  it('in words, which are stored as they were written', async () => {
    const words = ['ทำ', 'น้ำ', 'ກຳ', 'नि', 'हिन्दी', 'বাংলা', 'கோ', 'ខ្មែរ', 'ശ്രീ', 'සිංහල', 'မြန်မာ'];
    const found = await written(words);
    const letters = [...new Set(words.join(''))];
    const widths = wcwidths(letters.map((letter) => letter.codePointAt(0) ?? 0));
    const sums = words.map((word) =>
      [...word].reduce((sum, letter) => sum + (widths[letters.indexOf(letter)] ?? 0), 0),
    );
    expect(found).toEqual(words.map((text, at) => ({ text, cells: sums[at] })));
  });

  it('wherever an invisible character comes: first, after an attribute, between letters', async () => {
    const invisible = ['\u200b', '\u200e', '\u200f', '\u2060', '\ufeff'];
    const texts = invisible.flatMap((mark) => [
      `${mark}ab`,
      `a\x1b[31m${mark}b`,
      `a${mark}b`,
      `ab${mark}${mark}`,
    ]);
    expect(new Set(await cellsOf(...texts))).toEqual(new Set([2]));
    expect(await cellsOf('\u0301', '\x1b[5C\u0301b', 'a\u00adb', '漢\u200bb')).toEqual([0, 6, 3, 3]);
  });
});

describe('An emoji', () => {
  it('stays one cluster of two cells', async () => {
    const emoji = ['👨‍👩‍👧', '❤️', '👍🏽', '🇩🇪', '1️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🧑🏽‍💻'];
    expect(await cellsOf(...emoji)).toEqual(emoji.map(() => 2));
    expect(await cellsOf('🇩🇪🇫🇷', 'a\ufe0f', 'a\u200d😀', 'a🏽')).toEqual([4, 1, 3, 3]);
  });
});

describe('A cell', () => {
  it('does not grow without bound, however many marks a host sends', async () => {
    const terminal = emulator();
    const marks = '\u0301'.repeat(1000);
    await feed(
      terminal,
      Array.from({ length: 50 }, () => ({ data: `${marks}\x1b[m` })).toSpliced(0, 0, { data: 'e' }),
    );
    expect(terminal.buffer.active.getLine(0)?.translateToString(true).length).toBeLessThan(2500);
  });
});
