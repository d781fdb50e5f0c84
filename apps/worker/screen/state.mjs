// @ts-check
import { PLAIN_PEN, penChange, penOf } from './pen.mjs';

/** @typedef {import('@xterm/headless').Terminal} Terminal */

const OFF_AT_FIRST = [1, 9, 45, 66, 1000, 1002, 1003, 1004, 1006, 1016, 2004];
const ON_AT_FIRST = [7, 25];
const LINE = '─'; // what `q` shows in the line-drawing character set

/**
 * The modes of a terminal, queried with escape sequences because the API does not expose them all.
 * @param {Terminal} terminal
 */
export async function stateOf(terminal) {
  const modes = [6, ...OFF_AT_FIRST, ...ON_AT_FIRST].map((mode) => `\x1b[?${mode}$p`);
  const answers = await ask(terminal, `${modes.join('')}\x1b[4$p\x1bP$qr\x1b\\\x1bP$q q\x1b\\`); // DECRQM, DECRQSS
  const is = (/** @type {string} */ mode, /** @type {number} */ value) =>
    answers.includes(`[${mode};${value}$y`);
  const [, top = '1', bottom = ''] = /\$r(\d+);(\d+)r/.exec(answers) ?? [];
  const [, style = '0'] = /\$r(\d+) q/.exec(answers) ?? [];
  return {
    top: Number(top),
    margins: `\x1b[${top};${bottom}r`,
    is_origin: is('?6', 1),
    modes: [
      ...OFF_AT_FIRST.filter((mode) => is(`?${mode}`, 1)).map((mode) => `\x1b[?${mode}h`),
      ...ON_AT_FIRST.filter((mode) => is(`?${mode}`, 2)).map((mode) => `\x1b[?${mode}l`),
      is('4', 1) ? '\x1b[4h' : '',
      style === '2' ? '' : `\x1b[${style} q`, // the default style
    ].join(''),
  };
}

/**
 * Attributes and character sets for the next output, found by writing over what is on the screen.
 * @param {Terminal} terminal
 */
export async function nextPen(terminal) {
  await write(terminal, '\x1b[?6l\x1b[?7h\x1b[4l');
  const now = await probePen(terminal, '');
  const g0 = await probePen(terminal, '\x0f');
  const g1 = await probePen(terminal, '\x0e');
  const is_shifted = now.is_line && g1.is_line && !g0.is_line;
  const first = now.is_line && !is_shifted ? '\x1b(0' : '';
  return `\x1b[0m${penChange(PLAIN_PEN, now.pen)}${first}${g1.is_line ? '\x1b)0' : ''}${is_shifted ? '\x0e' : ''}`;
}

/**
 * @param {Terminal} terminal
 * @param {string} shift
 */
async function probePen(terminal, shift) {
  await write(terminal, `\x1b[H${shift}q`);
  const { active } = terminal.buffer;
  const cell = active.getLine(active.baseY)?.getCell(0);
  return { is_line: cell?.getChars() === LINE, pen: cell ? penOf(cell) : PLAIN_PEN };
}

/**
 * @param {Terminal} terminal
 * @param {string} questions
 */
async function ask(terminal, questions) {
  let answers = '';
  const listening = terminal.onData((data) => {
    answers += data;
  });
  await write(terminal, questions);
  listening.dispose();
  return answers;
}

/**
 * @param {Terminal} terminal
 * @param {string} data
 * @returns {Promise<void>}
 */
function write(terminal, data) {
  return new Promise((resolve) => terminal.write(data, resolve));
}
