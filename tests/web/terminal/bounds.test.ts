import headless from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { boundSequences } from '#client/terminal/bounds.mjs';
import { giveWay } from '../../../apps/web/terminal/pane/costly-sequences.ts';
import { longestHold } from '../../support/event-loop.ts';

const MANY = 50_000; // 2^31 would take hours
const FINALS = Array.from({ length: 0x7e - 0x40 + 1 }, (_, at) => String.fromCharCode(0x40 + at));
const INTERMEDIATES = ['', ' ', '!', "'", '$'];

/** With the guards of the page. */
function terminalOf(size = { cols: 200, rows: 50 }) {
  const terminal = new headless.Terminal({
    ...size,
    scrollback: 10_000,
    allowProposedApi: true,
    logLevel: 'off',
  });
  giveWay(terminal);
  boundSequences(terminal);
  return terminal;
}

const write = (terminal: headless.Terminal, text: string) =>
  new Promise<void>((resolve) => terminal.write(text, resolve));

/** The time that this process worked, whatever else the machine does. */
async function cpuMs(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function screenOf({ buffer: { active } }: headless.Terminal): string[] {
  return Array.from({ length: active.length }, (_, y) => active.getLine(y)?.translateToString(true) ?? '');
}

describe('A sequence with a huge repeat count', () => {
  it.each(['\x1b[', '\x9b', '\x1b[?'])('after %j keeps no terminal busy, whatever it does', async (begin) => {
    const terminal = terminalOf();
    const slow: string[] = [];
    for (const final of FINALS)
      for (const intermediate of INTERMEDIATES) {
        const ms = await cpuMs(() => write(terminal, `x${begin}${MANY}${intermediate}${final}`));
        if (ms > 50) slow.push(`${intermediate}${final}: ${ms}`);
      }
    expect(slow).toEqual([]);
  });

  it('split over chunks, and with subparameters, keeps no terminal busy', async () => {
    const terminal = terminalOf();
    const ms = await cpuMs(async () => {
      for (const part of ['x\x1b[', '500', '00', 'S', `\x1b[${MANY}:1T`, `\x1b[${MANY};1b`])
        await write(terminal, part);
    });
    expect(ms).toBeLessThan(50);
  });

  it('within the size of the screen works', async () => {
    const terminal = terminalOf({ cols: 10, rows: 4 });
    await write(terminal, 'one\r\ntwo\r\nx\x1b[4b\x1b[1S\x1b[H\x1b[1L');
    expect(screenOf(terminal).map((line) => line.trimEnd())).toEqual(['', 'two', 'xxxxx', '']);
  });
});

describe('A flood of costly sequences', () => {
  it.each([
    ['erases', '\x1b[2J', 1500],
    ['scrolls', '\x1b[50S', 150],
    ['resets', '\x1bc', 400],
    ['fills', '\x1b#8', 1500],
    ['switches screens', '\x1b[?1049h\x1b[?1049l', 500],
  ])('that %s leaves the page its turns', async (_what, sequence, times) => {
    const terminal = terminalOf({ cols: 300, rows: 80 });
    const { held_ms } = await longestHold(async () => {
      await write(terminal, sequence.repeat(times));
      await new Promise((resolve) => setTimeout(resolve, 2)); // the last turn counts too
    });
    expect(held_ms).toBeLessThan(50);
  });

  it('is drawn whole and in order', async () => {
    const flood = Array.from({ length: 3000 }, (_, at) => `\x1b[2K${at}\x1b[1S\r`).join('');
    const [guarded, plain] = [
      terminalOf(),
      new headless.Terminal({ cols: 200, rows: 50, scrollback: 10_000, allowProposedApi: true }),
    ];
    await Promise.all([write(guarded, flood), write(plain, flood)]);
    expect(screenOf(guarded)).toEqual(screenOf(plain));
  });
});
