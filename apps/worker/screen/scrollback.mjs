// @ts-check
import { PLAIN_PEN, penChange } from './pen.mjs';
import { drawGlyphs, endOf, glyphsOf } from './rows.mjs';

// Limits for the latest rows.
const MAX_BYTES = 768 * 1024;
const MAX_CELLS = 1_000_000; // a colored row is drawn in a few bytes but read cell by cell

/**
 * Draws the scrollback of a buffer on an empty screen with a plain pen and the cursor in the corner. All of it scrolls
 * off, so the screen is empty again.
 * @param {import('@xterm/headless').IBuffer} buffer
 * @param {{ rows: number, cols: number }} size
 */
export function drawScrollback(buffer, { rows, cols }) {
  const drawn = rowsOf(buffer, cols);
  const on_screen = Math.min(drawn.length, rows - 1);
  // On a taller terminal some of it would stay visible.
  return `${drawn.join('')}\x1b[${rows};1H${'\n'.repeat(on_screen)}\x1b[H\x1b[2J`;
}

/**
 * @param {import('@xterm/headless').IBuffer} buffer
 * @param {number} cols
 */
function rowsOf(buffer, cols) {
  /** @type {string[]} */
  const drawn = [];
  let bytes = 0;
  let next_width = 0; // of the first glyph of a wrapped row below
  const lowest = Math.max(0, buffer.baseY - Math.ceil(MAX_CELLS / cols));
  for (let y = buffer.baseY - 1; y >= lowest && bytes < MAX_BYTES; y -= 1) {
    const line = buffer.getLine(y);
    const glyphs = line ? glyphsOf(line, cols) : [];
    const goes_on = next_width > 0 && endOf(glyphs) + next_width > cols;
    const row = drawRow(glyphs) + (goes_on ? '' : '\r\n');
    const first = glyphs[0];
    next_width = line?.isWrapped && first?.x === 0 && first.chars !== '' ? first.width : 0;
    bytes += Buffer.byteLength(row);
    drawn.push(row);
  }
  return drawn.reverse();
}

/** @param {import('./rows.mjs').Glyph[]} glyphs */
function drawRow(glyphs) {
  const [first] = glyphs;
  if (!first) return '';
  const indent = first.x > 0 ? `\x1b[${first.x}C` : '';
  return indent + drawGlyphs(glyphs, PLAIN_PEN) + penChange(glyphs.at(-1)?.pen ?? PLAIN_PEN, PLAIN_PEN);
}
