// @ts-check
import headless from '@xterm/headless';
import { boundSequences } from '#client/terminal/bounds.mjs';
import { measureCells } from '#client/terminal/cells.mjs';
import { takeTitles } from '#client/terminal/titles.mjs';

/**
 * @typedef {import('@xterm/headless').Terminal} Terminal
 * @typedef {import('#core/ports/ssh.ts').PtySize} PtySize
 * @typedef {{ data: string | Uint8Array, size?: undefined, forgets?: undefined }} Output
 * @typedef {{ size: PtySize, forgets?: boolean, data?: undefined }} Resize With `forgets`, no row that has scrolled off comes back.
 * @typedef {Output | Resize} Step
 */

// The add-on (0.4.0) reads its table from the start of the memory behind a buffer; with pooling, emoji would be half as wide.
const { poolSize } = Buffer;
Buffer.poolSize = 0;
const { default: graphemes } = await import('@xterm/addon-unicode-graphemes');
Buffer.poolSize = poolSize;

Object.assign(console, { warn() {} }); // xterm logs the duration of its own work

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
  measureCells(terminal, new graphemes.UnicodeGraphemesAddon());
  boundSequences(terminal);
  takeTitles(terminal);
  return terminal;
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
    for (const { data, size, forgets } of steps) {
      if (forgets) terminal.write('', () => forgetScrollback(terminal));
      if (size) terminal.write('', () => terminal.resize(size.cols, size.rows));
      terminal.write(data ?? '', done);
      terminal.write(after);
    }
    terminal.write('', resolve);
  });
}

/**
 * Empties the scrollback of the normal screen, also while the alternate one is active.
 * @param {Terminal} terminal
 */
function forgetScrollback({ options }) {
  const { scrollback = 0 } = options;
  options.scrollback = 0;
  options.scrollback = scrollback;
}
