// @ts-check

/**
 * @typedef {import('@xterm/headless').IBufferCell} IBufferCell
 * @typedef {readonly string[]} Pen The SGR code of each attribute, or an empty string (ECMA-48 §8.3.117).
 */

/** The SGR code that resets each attribute. */
const DEFAULTS = ['22', '23', '24', '25', '27', '28', '29', '55', '39', '49'];

/** @type {Pen} */
export const PLAIN_PEN = DEFAULTS.map(() => '');

const FOREGROUND = { low: 30, high: 90, any: 38 };
const BACKGROUND = { low: 40, high: 100, any: 48 };

/**
 * @param {IBufferCell} cell
 * @returns {Pen}
 */
export function penOf(cell) {
  if (cell.isAttributeDefault()) return PLAIN_PEN;
  return [
    intensity(cell),
    cell.isItalic() ? '3' : '',
    cell.isUnderline() ? '4' : '',
    cell.isBlink() ? '5' : '',
    cell.isInverse() ? '7' : '',
    cell.isInvisible() ? '8' : '',
    cell.isStrikethrough() ? '9' : '',
    cell.isOverline() ? '53' : '',
    color(FOREGROUND, { is_rgb: cell.isFgRGB(), is_indexed: cell.isFgPalette(), value: cell.getFgColor() }),
    color(BACKGROUND, { is_rgb: cell.isBgRGB(), is_indexed: cell.isBgPalette(), value: cell.getBgColor() }),
  ];
}

/**
 * Compares the pens of two cells without allocating them.
 * @param {IBufferCell} one
 * @param {IBufferCell} other
 */
export function isSamePen(one, other) {
  return (
    one.getBgColor() === other.getBgColor() &&
    one.getBgColorMode() === other.getBgColorMode() &&
    one.getFgColor() === other.getFgColor() &&
    one.getFgColorMode() === other.getFgColorMode() &&
    one.isBold() === other.isBold() &&
    one.isDim() === other.isDim() &&
    one.isItalic() === other.isItalic() &&
    one.isUnderline() === other.isUnderline() &&
    one.isBlink() === other.isBlink() &&
    one.isInverse() === other.isInverse() &&
    one.isInvisible() === other.isInvisible() &&
    one.isStrikethrough() === other.isStrikethrough() &&
    one.isOverline() === other.isOverline()
  );
}

/**
 * The shortest change from one pen to another, so that a redraw is no larger than the original output.
 * @param {Pen} from
 * @param {Pen} to
 */
export function penChange(from, to) {
  if (from === to) return '';
  const codes = to.flatMap((code, i) => {
    if (code === from[i]) return [];
    if (i === 0 && from[i]) return ['22', code].filter(Boolean); // bold and dim are reset together
    return [code || DEFAULTS[i]];
  });
  if (codes.length === 0) return '';
  return to.every((code) => code === '') ? '\x1b[0m' : `\x1b[${codes.join(';')}m`;
}

/** @param {IBufferCell} cell */
function intensity(cell) {
  return [cell.isBold() ? '1' : '', cell.isDim() ? '2' : ''].filter(Boolean).join(';');
}

/**
 * @param {{ low: number, high: number, any: number }} ground
 * @param {{ is_rgb: boolean, is_indexed: boolean, value: number }} color
 */
function color({ low, high, any }, { is_rgb, is_indexed, value }) {
  if (is_rgb) return `${any};2;${(value >> 16) & 0xff};${(value >> 8) & 0xff};${value & 0xff}`;
  if (!is_indexed) return '';
  if (value < 8) return `${low + value}`;
  return value < 16 ? `${high + value - 8}` : `${any};5;${value}`;
}
