import headless from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { createTitles, takeTitles } from '#client/terminal/titles.mjs';
import { followDirectory } from '../../../apps/web/terminal/pane/directory.ts';

const ST = '\x1b\\';

function terminal() {
  const opened = new headless.Terminal({ cols: 80, rows: 5, allowProposedApi: true, logLevel: 'off' });
  takeTitles(opened);
  return opened;
}

const write = (to: headless.Terminal, data: string | Uint8Array) =>
  new Promise<void>((resolve) => to.write(data, resolve));
const firstRow = ({ buffer: { active } }: headless.Terminal) => active.getLine(0)?.translateToString(true);

/** The directories that were reported, in order. */
async function reported(...outputs: string[]) {
  const opened = terminal();
  const paths: (string | undefined)[] = [];
  followDirectory(opened, (path) => paths.push(path));
  for (const output of outputs) await write(opened, output);
  return paths;
}

describe('A title of screen or tmux', () => {
  it.each([
    ['as text', (text: string) => text],
    ['as bytes', (text: string) => Buffer.from(text)],
  ])('is set and never drawn, wherever its output is split, %s', async (_name, encoded) => {
    const output = `a\x1bkме: ~${ST}b\x1b[31mc\x1bk${ST}`;
    for (let at = 0; at <= output.length; at += 1) {
      const opened = terminal();
      const titles: string[] = [];
      opened.onTitleChange((title) => titles.push(title));
      await write(opened, encoded(output.slice(0, at)));
      await write(opened, encoded(output.slice(at)));
      expect({ row: firstRow(opened), titles }).toEqual({ row: 'abc', titles: ['ме: ~', ''] });
    }
  });

  it('leaves other output as it is', () => {
    const { inBytes, inText } = createTitles();
    const bytes = Buffer.from('k \x1b[1mk\x1b]0;k\x07');
    expect(inBytes(bytes)).toBe(bytes);
    expect(inText('k\x1b')).toBe('k\x1b');
    expect(inText('[mk')).toBe('[mk');
  });
});

describe('The directory of a terminal', () => {
  it('is reported by OSC 7, by OSC 633 with its escapes, and by OSC 1337', async () => {
    const outputs = [
      '\x1b]7;file://web/srv/a%20b\x07',
      '\x1b]633;P;Cwd=/srv/x\\x3by\\\\z\x07',
      `\x1b]1337;CurrentDir=/home/я 100%${ST}`,
    ];
    expect(await reported(...outputs)).toEqual(['/srv/a b', '/srv/x;y\\z', '/home/я 100%']);
  });

  it('is unknown while the shell of another host reports', async () => {
    const outputs = [
      '\x1b]1337;RemoteHost=me@web\x07\x1b]1337;CurrentDir=/a\x07',
      '\x1b]1337;RemoteHost=me@db\x07\x1b]1337;CurrentDir=/b\x07\x1b]633;P;Cwd=/c\x07',
      '\x1b]7;file://web/d\x07\x1b]633;P;Cwd=/e\x07',
    ];
    expect(await reported(...outputs)).toEqual(['/a', undefined, '/d', '/e']);
  });

  it('is never taken from what is no absolute path, or too long', async () => {
    const long = `/${'a'.repeat(20_000)}`;
    const outputs = [
      `\x1b]1337;CurrentDir=${long}\x07`,
      `\x1b]633;P;Cwd=${long}\x07`,
      '\x1b]633;P;Other=/a\x07',
    ];
    expect(await reported(...outputs)).toEqual([]);
    expect(await reported('\x1b]1337;CurrentDir=a\x07', '\x1b]633;P;Cwd=~\x07')).toEqual([
      undefined,
      undefined,
    ]);
  });
});
