import { mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPlainText } from '#worker/recording/plain-text.mjs';
import { eventually } from '../../support/eventually.ts';
import { failureOf } from '../setup.ts';
import { openFolder } from './cast-folder.ts';

const { casts, dir } = openFolder();
mkdirSync(dir);

type Event = readonly ['o' | 'r' | 'i', string];

const HEADER = { version: 2, width: 20, height: 5 };
let count = 0;

function writeCast(events: readonly Event[], header: object = HEADER): string {
  count += 1;
  const lines = [header, ...events.map(([kind, data], i) => [i / 10, kind, data])];
  writeFileSync(join(dir, `${count}.cast`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return `${count}.cast`;
}

const textOf = async (path: string) => await new Response(casts.text(path)).text();
const shown = (...outputs: string[]) => textOf(writeCast(outputs.map((text): Event => ['o', text])));

/** In any thread of this process. */
function isOpen(path: string): boolean {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return ''; // It has been closed.
    }
  });
  return links.includes(join(dir, path));
}

const linesWith = async (text: string, ...outputs: string[]) => {
  const path = writeCast(outputs.map((output): Event => ['o', output]));
  return casts.search(path, text, new AbortController().signal);
};

const ALTERNATE = '\x1b[?1049h';
const NORMAL = '\x1b[?1049l';

describe('the text of a recording', () => {
  it('is the output without colors and without input', async () => {
    const path = writeCast([
      ['o', '\x1b]0;title\x07\x1b[01;32mme@host\x1b[0m:\x1b[34m~\x1b[0m$ '],
      ['i', 'ls\r'],
      ['o', 'ls\r\n\x1b[1ma.txt\x1b[0m  b\r\n'],
    ]);
    expect(await textOf(path)).toBe('me@host:~$ ls\na.txt  b\n');
  });

  it('contains the final state of a line', async () => {
    expect(await shown('downloading 10 %', '\rdownloading 100 %\r\n', 'sl\b\bls\x1b[K\r\n')).toBe(
      'downloading 100 %\nls\n',
    );
  });

  it('has no trailing spaces and no trailing empty lines', async () => {
    expect(await shown('a  \r\n\r\n   b \x1b[10Cc    \x1b[5C\r\n\r\n\r\n   \r\n')).toBe(
      'a\n\n   b           c\n',
    );
  });

  it('joins wrapped lines', async () => {
    const long = Array.from({ length: 50 }, (_none, i) => `word${i}`).join(' ');
    expect(await shown(`${long}\r\nnext\r\n`)).toBe(`${long}\nnext\n`);
    const wide = '漢字かな交じり文'.repeat(9);
    expect(await shown(`a${wide}\r\n`)).toBe(`a${wide}\n`);
  });

  it('keeps all lines of a long recording in order', async () => {
    const lines = Array.from({ length: 60_000 }, (_none, i) => `${i}.${'x'.repeat(i % 70)}`);
    const text = `${lines.join('\r\n')}\r\n`;
    const pieces = text.match(/.{1,1777}/gs) ?? [];
    expect((await shown(...pieces)) === `${lines.join('\n')}\n`).toBe(true); // Too long to print.
  });

  it('keeps what was cleared from the screen', async () => {
    expect(await shown('before\r\n', '\x1b[H\x1b[2J\x1b[3J', 'after\r\n', '\x1bcreset\r\n')).toBe(
      'before\nafter\nreset\n',
    );
  });

  it('leaves out alternate screens', async () => {
    const screen = Array.from({ length: 30 }, (_none, i) => `~ ${i}\r\n`).join('');
    expect(
      await shown('one\r\ntwo\r\n', `vim\r\n${ALTERNATE}\x1b[2J${screen}`, screen, `${NORMAL}three\r\n`),
    ).toBe('one\ntwo\nvim\nthree\n');
  });

  it('contains a line once, even when the size changes within an alternate screen', async () => {
    const lines = Array.from({ length: 30 }, (_none, i) => `line ${i}`);
    const path = writeCast([
      ['o', `${lines.join('\r\n')}\r\n${ALTERNATE}`],
      ['r', '40x12'],
      ['o', `picture${NORMAL}end\r\n`],
      ['r', '20x30'],
    ]);
    expect(await textOf(path)).toBe(`${lines.join('\n')}\nend\n`);
  });

  it('is wrapped at the sizes that the terminal had', async () => {
    const path = writeCast([
      ['o', 'x'.repeat(30)],
      ['r', '60x5'],
      ['o', '\r\n\x1b[50Cfar\r\n'],
      ['r', '5000x0'],
    ]);
    expect(await textOf(path)).toBe(`${'x'.repeat(30)}\n${' '.repeat(50)}far\n`);
  });

  it('joins wrapped lines of very wide terminals too', async () => {
    const lines = ['x'.repeat(999), 'y'.repeat(1001), 'z'];
    const path = writeCast([['o', lines.map((line) => `${line}\r\n`).join('')]], {
      version: 2,
      width: 1000,
      height: 1000,
    });
    expect(await textOf(path)).toBe(`${lines.join('\n')}\n`);
  });

  it('handles sequences and characters that are split over chunks', async () => {
    expect(await shown('\x1b', '[3', '1mred', '\x1b]0;ti', 'tle\x07', '👨‍👩‍👧', '\x1b[0', 'm!\r\n')).toBe(
      'red👨‍👩‍👧!\n',
    );
  });

  it.each([
    ['nothing', [], ''],
    ['a header that is none', ['no header', [0, 'o', 'shown\r\n']], 'shown\n'],
    ['a broken last line', [HEADER, [0, 'o', 'shown\r\n'], '[1,"o","los'], 'shown\n'],
    [
      'lines that are no events',
      [HEADER, null, 7, {}, [], [0, 'o'], ['0', 'o', 'x'], [1, 'o', 'shown']],
      'shown\n',
    ],
  ])('reports a file with %s', async (_what, lines, text) => {
    const content = lines.map((line) => (typeof line === 'string' ? line : `${JSON.stringify(line)}\n`));
    writeFileSync(join(dir, 'odd.cast'), content.join('').replace('no header', 'no header\n'));
    expect(await textOf('odd.cast')).toBe(text);
  });

  it('is produced despite sequences that keep a terminal busy', async () => {
    const hostile = ['L', 'M', 'S', 'T', 'I', 'Z', 'b', '@', 'P', 'X', 'C', 'B'].map(
      (final) => `\x1b[2147483647${final}`,
    );
    const text = await shown(`a${hostile.join('')}\r\n`, 'a'.repeat(20), '\x1b[5;20H\x1b[1J', '\r\nend\r\n');
    expect(text.endsWith('end\n')).toBe(true);
  });

  it('is produced at once despite an endless sequence and constant resizing', async () => {
    const changes = Array.from({ length: 20_000 }, (_none, i): Event[] => [
      ['o', 'x'.repeat(100)],
      ['r', i % 2 ? '80x24' : '81x24'],
    ]);
    const path = writeCast([['o', 'shown\r\n\x1b]0;'], ...changes.flat(), ['o', '\x07end\r\n']]);
    const text = await textOf(path);
    expect(text.startsWith('shown\n')).toBe(true);
    expect(text.endsWith('end\n')).toBe(true);
  });

  it('is produced on demand, and stops when nobody reads', async () => {
    const path = writeCast(
      Array.from({ length: 200 }, (): Event => ['o', `${'y'.repeat(19)}\r\n`.repeat(2000)]),
    );
    const reader = casts.text(path).getReader();
    const { value } = await reader.read();
    expect(value?.length).toBeLessThan(200_000);
    expect(isOpen(path)).toBe(true);
    await reader.cancel();
    await eventually(() => expect(isOpen(path)).toBe(false));
  });

  it('is complete, however slowly it is read', async () => {
    const lines = Array.from({ length: 2000 }, (_none, i) => `line ${i}`);
    const path = writeCast(lines.map((line): Event => ['o', `${line}${'.'.repeat(50)}\r\n`]));
    let now_ms = 0;
    const text = await openPlainText(join(dir, path), () => now_ms);
    let all = '';
    for (let part = await text.next(); !part.done; part = await text.next()) {
      all += part.value;
      now_ms += 60_000; // Until its reader asks for more.
    }
    await text.close();
    expect(all.match(/line \d+/g)).toEqual(lines);
  });

  it('is produced for several recordings at once', async () => {
    const texts = await Promise.all(['a', 'b', 'c', 'd'].map((name) => shown(`${name}\r\n`.repeat(5000))));
    expect(texts.map((text) => [text[0], text.length])).toEqual(
      ['a', 'b', 'c', 'd'].map((name) => [name, 10_000]),
    );
  });

  it('of a missing recording is reported as missing', async () => {
    expect(await failureOf(textOf('none.cast'))).toMatchObject({ code: 'recording_file_missing' });
  });
});

describe('a search in a recording', () => {
  it('finds the lines that contain the text in any case, and when they were complete', async () => {
    const found = await linesWith('FAIL', 'ok\r\nfai', 'led to st', 'art\r\nok\r\n', 'Failure');
    expect(found).toEqual([
      { at_s: 0.2, line: 'failed to start' },
      { at_s: 0.3, line: 'Failure' },
    ]);
  });

  it.each([
    ['colors', ['\x1b[1;3', '1mfai\x1b[0m', 'led\r\n']],
    ['a title', ['\x1b]0;some', ' title\x07failed\r\n']],
    ['corrected typing', ['faj\b \bi', 'led\r\n']],
    ['an alternate screen', [`${ALTERNATE}\x1b[2;3Hfailed${NORMAL}`]],
    ['an escape that never ends', ['\x1b]', 'x'.repeat(5000), '\r\nfailed\r\n']],
  ])('sees through %s', async (_what, outputs) => {
    expect((await linesWith('failed', ...outputs)).map(({ line }) => line)).toEqual(['failed']);
  });

  it('returns at most twenty lines, each cut around the text', async () => {
    const found = await linesWith(
      'needle',
      ...Array.from({ length: 50 }, () => `${'x'.repeat(500)}needle\r\n`),
    );
    expect(found).toHaveLength(20);
    expect(found[0]?.line).toMatch(/^x{100}needle$/);
  });

  it('says that a file is missing', async () => {
    const { signal } = new AbortController();
    expect(await failureOf(casts.search('missing.cast', 'text', signal))).toMatchObject({
      code: 'recording_file_missing',
    });
  });
});
