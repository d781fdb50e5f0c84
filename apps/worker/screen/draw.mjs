// @ts-check
import { PLAIN_PEN } from './pen.mjs';
import { drawGlyphs, drawRows, lastGlyph } from './rows.mjs';
import { drawScrollback } from './scrollback.mjs';
import { nextPen, stateOf } from './state.mjs';

/**
 * @typedef {import('@xterm/headless').Terminal} Terminal
 * @typedef {import('@xterm/headless').IBuffer} IBuffer
 */

const SET_BY_PROGRAMS = [1, 6, 9, 45, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026];

/**
 * Resets the receiving terminal, whatever its state, to an empty normal screen with default modes; its scrollback stays.
 * A soft reset (DECSTR) does not cover mouse modes.
 */
const CLEAR = [
  '\x18\x1b[?1049l\x1b[!p',
  ...SET_BY_PROGRAMS.map((mode) => `\x1b[?${mode}l`),
  '\x1b[?7h\x1b[?25h\x1b[4l\x1b>\x1b[r\x1b(B\x1b)B\x0f\x1b[0 q\x1b[0m\x1b[H\x1b[2J',
].join('');

/**
 * The sequences that bring any terminal of the same size to the state of this one, which must not be used afterwards.
 * @param {Terminal} terminal
 * @param {boolean} scrollback
 */
export async function drawScreen(terminal, scrollback) {
  const { normal, alternate, active } = terminal.buffer;
  const is_alternate = active.type === 'alternate';
  const over = is_alternate
    ? `${cursorTo(normal.cursorX, normal.cursorY)}\x1b[?1049h${drawRows(alternate, terminal)}`
    : '';
  const before = scrollback ? drawScrollback(normal, terminal) : '';
  const screens = before + drawRows(normal, terminal) + over;
  const { margins, is_origin, top, modes } = await stateOf(terminal);
  const cursor = drawCursor(active, terminal, is_origin ? top - 1 : 0);
  const pen = await nextPen(terminal);
  return CLEAR + screens + margins + (is_origin ? '\x1b[?6h' : '') + cursor + pen + modes;
}

/**
 * @param {IBuffer} buffer
 * @param {Terminal} terminal
 * @param {number} first_row The row that counts as the first.
 */
function drawCursor(buffer, terminal, first_row) {
  const { cursorX, cursorY } = buffer;
  const y = cursorY - first_row;
  if (cursorX < terminal.cols) return cursorTo(cursorX, y);
  // The cursor gets behind the last column, where the next character wraps, only by writing a character.
  const glyph = lastGlyph(buffer, terminal);
  return glyph ? cursorTo(glyph.x, y) + drawGlyphs([glyph], PLAIN_PEN) : cursorTo(terminal.cols - 1, y);
}

/**
 * @param {number} x
 * @param {number} y
 */
function cursorTo(x, y) {
  return `\x1b[${y + 1};${x + 1}H`;
}
