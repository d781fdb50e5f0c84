import { afterAll, describe, expect, it } from 'vitest';
import type { ScreenStep } from '#core/ports/screens.ts';
import type { PtySize } from '#core/ports/ssh.ts';
import { systemClock } from '#server/lib/clock.ts';
import { createEmulator, feed } from '#worker/screen/emulator.mjs';
import { penOf } from '#worker/screen/pen.mjs';
import type { ScreenVerbs } from '#worker/screen/screen-verbs.ts';
import { createScreens } from '#worker/screen/screens.ts';
import { stateOf } from '#worker/screen/state.mjs';
import { createThreads } from '#worker/threads/threads.ts';
import { failureOf, manualClock } from '../setup.ts';

const SIZE = { cols: 40, rows: 10 };
const ALONE = { scrollback: false };
const ENTRY = new URL('../../../apps/worker/screen/screen-thread.mjs', import.meta.url);
// Patient: a busy machine may take seconds for the largest screen.
const threads = createThreads<ScreenVerbs>({
  entry: ENTRY,
  clock: systemClock,
  silence_ms: 25_000,
  idle_ms: 60_000,
});
const screens = createScreens({ clock: systemClock, threads });
afterAll(() => screens.stop());

const output = (bytes: string | Uint8Array): ScreenStep => ({ kind: 'output', bytes: Buffer.from(bytes) });
const draw = (...steps: ScreenStep[]) => screens.render(1, () => steps, ALONE);
const drawAll = (...steps: ScreenStep[]) => screens.render(1, () => steps, { scrollback: true });
const sized = (size: PtySize): ScreenStep => ({ kind: 'size', size });

type Terminal = ReturnType<typeof createEmulator>;

async function terminalAfter(...outputs: (string | Uint8Array)[]): Promise<Terminal> {
  const terminal = createEmulator({ size: SIZE, scrollback: 1000, keeps_erased: false });
  await feed(
    terminal,
    outputs.map((data) => ({ data })),
  );
  return terminal;
}

function rowsOf({ buffer: { active }, rows, cols }: Terminal, from: number) {
  return Array.from({ length: rows }, (_none, y) => {
    const line = active.getLine(from + y);
    const pens = Array.from({ length: cols }, (_none, x) => {
      const cell = line?.getCell(x);
      return cell?.getChars() ? penOf(cell) : cell?.getBgColor();
    });
    return { text: line?.translateToString(true), pens, is_wrapped: y > 0 && line?.isWrapped };
  });
}

/** Everything visible, and the state that affects later output. */
async function picture(terminal: Terminal) {
  const { active } = terminal.buffer;
  const { type, cursorX, cursorY, baseY } = active;
  return { type, cursorX, cursorY, rows: rowsOf(terminal, baseY), state: await stateOf(terminal) };
}

const ALTERNATE = '\x1b[?1049h';
/** A terminal whose earlier output was cut off. */
const USED = `\x1b[41mold\r\n${ALTERNATE}\x1b[?1000h\x1b[?1006h\x1b[?25l\x1b[3;5r\x1b[?6h\x1b(0vim\x1b[4h\x1b]0;ti`;

const PROGRAMS: Record<string, string> = {
  'a prompt': '\x1b[01;32mme@host\x1b[0m:~$ ls\r\na  b\r\n\x1b[01;32mme@host\x1b[0m:~$ \x1b[?2004h',
  'more than a screen': Array.from({ length: 50 }, (_none, i) => `line ${i}\r\n`).join(''),
  'a pen that is not put down': 'plain \x1b[1;3;4;7;9;38;5;208;48;2;1;2;3mstyled\x1b[2;22;95;103m',
  'spacing and other marks': 'हिन्दी வாங்கோ ทำ ខ្មែរ\r\nक\x1b[31mि\x1b[m\u0301\u200b\x1b[10Ga\u200bb',
  'wide characters': '漢字かな交じり文が続いて行の終わりまで行くと次の行へ\r\n👨‍👩‍👧 🇩🇪 e\u0301 👍🏽 end',
  'a long line': 'x'.repeat(95),
  'a full line': 'x'.repeat(40),
  'a full last line': `\x1b[10;1H${'漢'.repeat(20)}`,
  'a colored screen': '\x1b[44m\x1b[2J\x1b[5;10Htitle\x1b[7;1H\x1b[41m\x1b[K\x1b[3;3H\x1b[0m\x1b[5X',
  'an editor': `$ vim a\r\n${ALTERNATE}\x1b[22;0;0t\x1b[>4;2m\x1b[?1h\x1b=\x1b[?2004h\x1b[?1004h\x1b[1;10r\x1b[?12h\x1b[?12l\x1b[?25l\x1b[1;1Htext of the file\x1b[2;1H\x1b[94m~\x1b[m\x1b[3;1H\x1b[94m~\x1b[m\x1b[10;1H\x1b[1m-- INSERT --\x1b[m\x1b[1;17H\x1b[?25h\x1b[6 q`,
  'a program with a mouse': `${ALTERNATE}\x1b[?1000h\x1b[?1002h\x1b[?1006h\x1b[?25l\x1b[H\x1b(0lqqqk\x1b(B menu`,
  'scrolling in a part': '\x1b[3;7r\x1b[?6h\x1b[2;5Hinside\x1b[?7l',
  'line drawing that goes on': '\x1b)0\x0elqqk',
  'modes of all kinds': '\x1b[?1h\x1b[?45h\x1b[?66h\x1b[?1003h\x1b[?1016h\x1b[?1004h\x1b[4h\x1b[3 q',
};

describe('the drawn screen', () => {
  it.each(Object.entries(PROGRAMS))('equals the one of %s', async (_what, program) => {
    const there = await terminalAfter(program);
    const drawn = await draw(sized(SIZE), output(program));
    const here = await terminalAfter(USED, drawn);
    expect(await picture(here)).toEqual(await picture(there));
    const next = 'q\x1b[1mNEXT\r\n\x1bM\x1b[?1049lback';
    await feed(there, [{ data: next }]);
    await feed(here, [{ data: next }]);
    expect(await picture(here)).toEqual(await picture(there));
  });

  it('leaves the existing scrollback unchanged', async () => {
    const drawn = await draw(sized(SIZE), output('new'));
    const here = await terminalAfter(
      Array.from({ length: 30 }, (_none, i) => `old ${i}\r\n`).join(''),
      drawn,
    );
    const { active } = here.buffer;
    expect(active.getLine(0)?.translateToString(true)).toBe('old 0');
    expect(active.getLine(active.baseY)?.translateToString(true)).toBe('new');
  });

  it.each([
    ['nothing', ''],
    ['one row', Array.from({ length: 10 }, (_none, i) => `${i}\r\n`).join('')],
    ['less than a screen', Array.from({ length: 15 }, (_none, i) => `line ${i}\r\n`).join('')],
    ['many screens', Array.from({ length: 500 }, (_none, i) => `line ${i}\r\n`).join('')],
    [
      'rows in colors',
      Array.from({ length: 50 }, (_none, i) => `  \x1b[4${i % 8}m \x1b[1;3${i % 7}mx${i}\r\n`).join(''),
    ],
    [
      'lines of several rows',
      Array.from({ length: 30 }, (_none, i) => `${i}${'0123456789'.repeat(10)}\r\n`).join(''),
    ],
    ['wide characters', '漢字かな交じり文が続いて行の終わりまで行くと次の行へ👨‍👩‍👧 🇩🇪\r\n'.repeat(20)],
    ['wide characters that do not fill a row', `x${'漢字かな'.repeat(30)}\r\n`.repeat(20)],
    ['an alternate screen above', `${'seen\r\n'.repeat(30)}${ALTERNATE}over`],
  ])('includes the scrollback for its owner: %s', async (_what, program) => {
    const there = await terminalAfter(program);
    const here = await terminalAfter('old', await drawAll(sized(SIZE), output(program)));
    expect(await picture(here)).toEqual(await picture(there));
    const all = ({ buffer: { normal }, cols }: Terminal) =>
      Array.from({ length: normal.baseY }, (_none, y) => {
        const line = normal.getLine(y);
        const pens = Array.from({ length: cols }, (_none, x) => {
          const cell = line?.getCell(x);
          return cell?.getChars() ? penOf(cell) : cell?.getBgColor();
        });
        return { text: line?.translateToString(true), pens, is_wrapped: line?.isWrapped };
      });
    expect(all(here)).toEqual(all(there));
  });

  it('includes a wide and colored scrollback', async () => {
    const program = Array.from(
      { length: 6000 },
      (_none, i) => `\x1b[48;5;${i % 200}mrow ${i}\x1b[K\x1b[0m\r\n`,
    );
    const drawn = await drawAll(sized({ cols: 1000, rows: 50 }), output(program.join('')));
    expect(Buffer.from(drawn).toString()).toContain('row 5500');
  });

  it('leaves nothing of the scrollback on a taller screen', async () => {
    const program = Array.from({ length: 30 }, (_none, i) => `line ${i}\r\n`).join('');
    const drawn = await drawAll(sized(SIZE), output(program));
    const here = createEmulator({ size: { cols: 40, rows: 30 }, scrollback: 1000, keeps_erased: false });
    await feed(here, [{ data: drawn }]);
    const { active } = here.buffer;
    const shown = Array.from({ length: 30 }, (_none, y) =>
      active.getLine(active.baseY + y)?.translateToString(true),
    );
    expect(shown.filter((text) => text)).toEqual(Array.from({ length: 9 }, (_none, i) => `line ${21 + i}`));
  });

  it.each([
    ['', 'the normal screen'],
    [ALTERNATE, 'the alternate screen'],
  ])('does not bring back what had scrolled off when a guest makes it taller, on %j %s', async (enter) => {
    const program = Array.from({ length: 30 }, (_none, i) => `line ${i}\r\n`).join('') + enter;
    const taller: ScreenStep = { kind: 'size', size: { cols: 40, rows: 30 }, by_guest: true };
    const leave = output(enter && '\x1b[?1049l');
    const drawn = Buffer.from(await draw(sized(SIZE), output(program), taller, leave)).toString();
    expect([drawn.includes('line 20'), drawn.includes('line 21')]).toEqual([false, true]);
    const whole = Buffer.from(await drawAll(sized(SIZE), output(program), taller)).toString();
    expect(whole).toContain('line 20');
  });

  it('has the latest size, through the earlier ones', async () => {
    const steps = [sized({ cols: 10, rows: 3 }), output('0123456789abcdef'), sized(SIZE), output('\r\nend')];
    const here = await terminalAfter(await draw(...steps));
    expect(rowsOf(here, 0).map(({ text }) => text)).toEqual(expect.arrayContaining(['end']));
    expect(here.buffer.active.cursorX).toBe(3);
  });

  it.each([
    ['within a sequence', '\x1b[1mbold\x1b[3', '1mred'],
    ['after an escape', 'text\x1b', '[2Cright'],
    ['within a title', 'text\x1b]0;a lo', 'ng title\x07more'],
    ['within a character', Buffer.from([0x61, 0xf0, 0x9f, 0x98]), Buffer.from([0x80, 0x62])],
  ])('continues with output that was cut %s', async (_where, before, after) => {
    const there = await terminalAfter(before, after);
    const here = await terminalAfter(USED, await draw(sized(SIZE), output(before)), after);
    expect(await picture(here)).toEqual(await picture(there));
  });

  it('is drawn even when the history starts in the middle', async () => {
    const bytes = Buffer.concat([Buffer.from([0x80, 0xac]), Buffer.from('5;31mred\x1b[0m\r\nend')]);
    const here = await terminalAfter(await draw(sized(SIZE), output(bytes)));
    expect(rowsOf(here, 0)[1]?.text).toBe('end');
  });

  it('uses only the bytes it is given, not the buffer around them', async () => {
    const memory = Buffer.from('secret shown secret');
    const drawn = await draw(sized(SIZE), { kind: 'output', bytes: memory.subarray(7, 12) });
    expect(Buffer.from(drawn).includes('shown')).toBe(true);
    expect(Buffer.from(drawn).includes('secret')).toBe(false);
    expect(memory.toString()).toBe('secret shown secret');
  });

  it('is drawn despite sequences that keep a terminal busy', async () => {
    const hostile = ['L', 'M', 'S', 'T', 'I', 'Z', 'b'].map((final) => `\x1b[2147483647${final}`).join('');
    const here = await terminalAfter(await draw(sized(SIZE), output(`a${hostile}\x1b[10;40H\x1b[1Jb`)));
    expect(here.buffer.active.cursorY).toBe(9);
  });

  it('is hardly larger than the output that produced it', async () => {
    const program = `\x1b[1;3;4;38;2;10;20;30;48;2;30;20;10m${'\x1b[7mX\x1b[27mY'.repeat(5000)}`;
    const drawn = await draw(sized({ cols: 200, rows: 50 }), output(program));
    expect(drawn.length).toBeLessThan(program.length * 1.1);
  });

  it('is drawn for many at once', async () => {
    const drawn = await Promise.all(
      Array.from({ length: 20 }, (_none, i) => draw(sized(SIZE), output(`screen ${i}.`))),
    );
    expect(drawn.every((bytes, i) => Buffer.from(bytes).includes(`screen ${i}.`))).toBe(true);
  });
});

describe('a screen whose thread', () => {
  const badScreens = (code: string, clock = systemClock) => {
    const entry = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
    return createScreens({
      clock,
      threads: createThreads<ScreenVerbs>({ entry, clock, silence_ms: 10_000, idle_ms: 60_000 }),
    });
  };
  const STEPS = [sized(SIZE)];

  it('dies fails, and the next one does not', async () => {
    const thread = `import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ seq, order }) => {
        if (order.buffer.byteLength === 4) process.exit();
        parentPort.postMessage({ seq, answer: { buffer: new ArrayBuffer(3) } });
      });`;
    const bad = badScreens(thread);
    const [first, second] = [
      bad.render(1, () => [...STEPS, output('dies')], ALONE),
      bad.render(2, () => STEPS, ALONE),
    ];
    expect(await failureOf(first)).toMatchObject({ code: 'internal' });
    expect(await second).toHaveLength(3);
    await bad.stop();
  });

  it('delays others once, however many screens one user requests', async () => {
    const order: string[] = [];
    const drawn = (user_id: number, name: string) =>
      screens.render(
        user_id,
        () => {
          order.push(name);
          return [sized(SIZE), output(name)];
        },
        ALONE,
      );
    await Promise.all([...['a1', 'a2', 'a3', 'a4'].map((name) => drawn(1, name)), drawn(2, 'b')]);
    expect(order.indexOf('b')).toBe(1);
  });

  const DRAWS_ONCE = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ seq }) => {
      if (seq === 1) parentPort.postMessage({ seq, answer: { buffer: new ArrayBuffer(3) } });
    });`;

  it('takes fifteen seconds to start is waited for', async () => {
    const clock = manualClock();
    const slow = badScreens(DRAWS_ONCE, clock);
    const drawn = slow.render(1, () => STEPS, ALONE);
    await Promise.resolve(); // The request has arrived; the thread has not begun.
    for (let i = 0; i < 3; i += 1) clock.advance(5000);
    expect(await drawn).toHaveLength(3);
    await slow.stop();
  });

  it('takes more than ten seconds fails', async () => {
    const clock = manualClock();
    const bad = badScreens(DRAWS_ONCE, clock);
    await bad.render(1, () => STEPS, ALONE);
    const refused = failureOf(bad.render(2, () => STEPS, ALONE));
    await Promise.resolve(); // The request has arrived.
    for (let i = 0; i < 3; i += 1) clock.advance(5000);
    expect(await refused).toMatchObject({ code: 'internal' });
    await bad.stop();
  });
});
