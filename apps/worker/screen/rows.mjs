// @ts-check
import { isZeroWidth } from '#client/terminal/cells.mjs';
import { isSamePen, PLAIN_PEN, penChange, penOf } from './pen.mjs';

/**
 * @typedef {import('@xterm/headless').IBuffer} IBuffer
 * @typedef {import('@xterm/headless').IBufferLine} IBufferLine
 * @typedef {import('./pen.mjs').Pen} Pen
 * @typedef {{ x: number, width: number, chars: string, pen: Pen }} Glyph Without `chars`: empty colored cells.
 */

/**
 * Draws the visible rows of a buffer on an empty screen. The pen is plain before and after; the cursor may end anywhere.
 * @param {IBuffer} buffer
 * @param {{ rows: number, cols: number }} size
 */
export function drawRows(buffer, { rows, cols }) {
  let drawn = '';
  let end = 0;
  let pen = PLAIN_PEN;
  for (let y = 0; y < rows; y += 1) {
    const line = buffer.getLine(buffer.baseY + y);
    const glyphs = line ? glyphsOf(line, cols) : [];
    const first = glyphs[0];
    // A row that continues the previous one belongs to the same line.
    const is_joined = line?.isWrapped && first?.x === 0 && first.chars !== '' && end + first.width > cols;
    if (first) drawn += (is_joined ? '' : `\x1b[${y + 1};${first.x + 1}H`) + drawGlyphs(glyphs, pen);
    pen = glyphs.at(-1)?.pen ?? pen;
    end = endOf(glyphs);
  }
  return drawn + penChange(pen, PLAIN_PEN);
}

/**
 * The glyph in the last cell of the cursor's row, for a cursor behind it.
 * @param {IBuffer} buffer
 * @param {{ cols: number }} size
 */
export function lastGlyph(buffer, { cols }) {
  const line = buffer.getLine(buffer.baseY + buffer.cursorY);
  const glyph = line && glyphsOf(line, cols).at(-1);
  return glyph && endOf([glyph]) === cols ? glyph : undefined;
}

/**
 * Draws from the start of the first glyph.
 * @param {Glyph[]} glyphs
 * @param {Pen} before
 */
export function drawGlyphs(glyphs, before) {
  let drawn = '';
  let pen = before;
  let at = glyphs[0]?.x ?? 0;
  for (const glyph of glyphs) {
    if (glyph.x > at) drawn += `\x1b[${glyph.x - at}C`;
    drawn += penChange(pen, glyph.pen) + (glyph.chars || `\x1b[${glyph.width}X`);
    pen = glyph.pen;
    at = glyph.chars ? glyph.x + glyph.width : glyph.x;
  }
  return drawn;
}

/**
 * @param {IBufferLine} line
 * @param {number} cols
 */
export function glyphsOf(line, cols) {
  /** @type {Glyph[]} */
  const glyphs = [];
  let pen = PLAIN_PEN;
  let [cell, before] = [line.getCell(0), line.getCell(0)]; // reused, because there are hundreds of thousands of cells
  if (cell) pen = penOf(cell);
  for (let x = 0; x < cols; ) {
    [cell, before] = [line.getCell(x, before), cell];
    const width = Math.max(1, cell?.getWidth() ?? 1);
    const chars = charsOf(cell);
    if (cell && before && !isSamePen(cell, before)) pen = penOf(cell);
    const last = glyphs.at(-1);
    if (chars === '' && last?.chars === '' && !penChange(last.pen, pen) && last.x + last.width === x)
      last.width += 1;
    else if (chars !== '' || penChange(PLAIN_PEN, pen)) glyphs.push({ x, width, chars, pen });
    x += width;
  }
  return glyphs;
}

/**
 * A mark without a letter would join the cell before it when it is drawn again.
 * @param {import('@xterm/headless').IBufferCell | undefined} cell
 */
function charsOf(cell) {
  const chars = cell?.getChars() ?? '';
  if (chars < '\u0300') return chars;
  return isZeroWidth(chars.codePointAt(0) ?? 0) ? ` ${chars}` : chars;
}

/** @param {Glyph[]} glyphs */
export function endOf(glyphs) {
  const last = glyphs.at(-1);
  return last?.chars ? last.x + last.width : 0;
}
