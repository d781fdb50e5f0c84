import './worker-window.ts';
import { SerializeAddon } from '@xterm/addon-serialize';
import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes';
import { Terminal } from '@xterm/headless';
import { boundSequences } from '#client/terminal/bounds.mjs';
import { measureCells } from '#client/terminal/cells.mjs';
import { takeTitles } from '#client/terminal/titles.mjs';
import type { Keyframe, Stretch } from './keyframes.ts';

const QUESTIONS = '\x1b[?25$p\x1bP$qr\x1b\\'; // DECRQM, DECRQSS

addEventListener('message', ({ data }: MessageEvent<readonly Stretch[]>) => void make(data));

/** Plays a cast in an invisible terminal and reports its screen after each segment. */
async function make(stretches: readonly Stretch[]): Promise<void> {
  const [first] = stretches;
  if (!first) return;
  const terminal = new Terminal({ ...first.size, scrollback: 0, allowProposedApi: true });
  boundSequences(terminal);
  takeTitles(terminal);
  const screen = new SerializeAddon();
  terminal.loadAddon(screen);
  measureCells(terminal, new UnicodeGraphemesAddon());
  for (const { count, steps } of stretches) {
    for (const step of steps) {
      if (typeof step === 'string') await write(terminal, step);
      else terminal.resize(step.cols, step.rows);
    }
    const init = screen.serialize() + (await restOf(terminal));
    const { cols, rows } = terminal;
    postMessage({ count, size: { cols, rows }, init } satisfies Keyframe);
  }
}

function write(terminal: Terminal, text: string): Promise<void> {
  return new Promise((resolve) => terminal.write(text, resolve));
}

/** State that the serialize add-on omits: hidden cursor and scroll region. */
async function restOf(terminal: Terminal): Promise<string> {
  let answers = '';
  const listening = terminal.onData((data) => {
    answers += data;
  });
  await write(terminal, QUESTIONS);
  listening.dispose();
  const [, top = '1', bottom = '1'] = /\$r(\d+);(\d+)r/.exec(answers) ?? [];
  const { cursorX, cursorY } = terminal.buffer.active;
  const margins = `\x1b[${top};${bottom}r\x1b[${cursorY + 1};${cursorX + 1}H`; // setting the region moves the cursor home
  const is_whole = top === '1' && bottom === String(terminal.rows);
  return (answers.includes('[?25;2$y') ? '\x1b[?25l' : '') + (is_whole ? '' : margins);
}
