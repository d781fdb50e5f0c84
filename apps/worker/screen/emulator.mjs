// @ts-check
import headless from '@xterm/headless';

/**
 * @typedef {import('@xterm/headless').Terminal} Terminal
 * @typedef {import('#core/ports/ssh.ts').PtySize} PtySize
 * @typedef {{ data: string | Uint8Array, size?: undefined } | { size: PtySize, data?: undefined }} Step
 */

// The add-on (0.4.0) reads its table from the start of the memory behind a buffer; with pooling, emoji would be half as wide.
const { poolSize } = Buffer;
Buffer.poolSize = 0;
const { default: graphemes } = await import('@xterm/addon-unicode-graphemes');
Buffer.poolSize = poolSize;

Object.assign(console, { warn() {} }); // xterm logs the duration of its own work

const MAX_LINES = 200; // each moves all lines below it
/** Sequences with a repeat count, which a hostile host may set to 2^31. */
const REPEATED = { lines: ['L', 'M', 'S', 'T'], cells: ['I', 'Z', 'b'] };

/**
 * A terminal that measures characters like the one in the browser.
 * @param {{ size: PtySize, scrollback: number, keeps_erased: boolean }} options
 */
export function createEmulator({ size, scrollback, keeps_erased }) {
  const terminal = new headless.Terminal({
    ...size,
    scrollback,
    scrollOnEraseInDisplay: keeps_erased,
    allowProposedApi: true,
    logLevel: 'off',
  });
  terminal.loadAddon(new graphemes.UnicodeGraphemesAddon());
  const ignoreBeyond = (/** @type {string} */ final, /** @type {() => number} */ most) =>
    terminal.parser.registerCsiHandler({ final }, ([times]) => Number(times) > most());
  for (const final of REPEATED.lines) ignoreBeyond(final, () => Math.min(terminal.rows, MAX_LINES));
  for (const final of REPEATED.cells) ignoreBeyond(final, () => terminal.cols);
  // xterm 6.0 throws when it erases backwards from the very last cell, because it accesses the line below.
  const isFatal = (/** @type {(number | number[])[]} */ [what]) => what === 1 && isAtVeryEnd(terminal);
  terminal.parser.registerCsiHandler({ final: 'J' }, isFatal);
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'J' }, isFatal);
  return terminal;
}

/** @param {Terminal} terminal */
function isAtVeryEnd({ buffer: { active }, rows, cols }) {
  return active.cursorX >= cols - 1 && active.cursorY === rows - 1 && active.length === rows;
}

/**
 * Feeds the steps in order; `done` runs after each, before `after` is written.
 * @param {Terminal} terminal
 * @param {Iterable<Step>} steps
 * @param {{ done: () => void, after: string }} [options]
 * @returns {Promise<void>}
 */
export function feed(terminal, steps, { done, after } = { done() {}, after: '' }) {
  return new Promise((resolve) => {
    for (const { data, size } of steps) {
      if (size) terminal.write('', () => terminal.resize(size.cols, size.rows));
      terminal.write(data ?? '', done);
      terminal.write(after);
    }
    terminal.write('', resolve);
  });
}
