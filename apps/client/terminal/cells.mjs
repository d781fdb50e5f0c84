// @ts-check
import { replacePrint } from './internals/xterm-print.mjs';
import { ZERO_WIDTH } from './zero-width.gen.mjs';

/**
 * What a character means for the next one: its width, whether it joins the previous one, and its kind.
 * @typedef {number} Properties
 * @typedef {{ version: string, wcwidth(code: number): 0 | 1 | 2, charProperties(code: number, before: Properties): Properties }} Provider
 * @typedef {object} Emulator A terminal of xterm, in a page or on the gateway.
 * @property {{ register(provider: Provider): void, activeVersion: string }} unicode
 * @property {{ active: { cursorX: number } }} buffer
 */

const VERSION = 'cells';
const MAX_MARKS = 64; // in one cell; a host may send them without end
const BITMAP_CODES = 0x20000;
const TAGS = { first: 0xe0000, last: 0xe0fff };
const EMOJI_SELECTOR = 0xfe0f;
const SKIN_TONES = { first: 0x1f3fb, last: 0x1f3ff };

// Kinds of the graphemes add-on (UAX #29).
const KIND_MASK = 15;
const EXTEND = 2;
const SPACING_MARK = 4;
const REGIONAL_INDICATOR = 3;
const ZERO_WIDTH_JOINER = 10;
const PICTOGRAPH = 11;
const IN_EMOJI = 1 << 8;

const PLAIN = toProperties(0, 1, false);
const KEYCAP_BASE = toProperties(IN_EMOJI, 1, false); // 0️⃣ to 9️⃣, #️⃣, *️⃣

const bitmap = parseTable();

function parseTable() {
  const bits = new Uint8Array(BITMAP_CODES / 8);
  let at = 0;
  for (const range of ZERO_WIDTH.split(' ')) {
    const [gap = '', count = '1'] = range.split('.');
    at += Number.parseInt(gap, 36);
    for (const end = at + Number.parseInt(count, 36); at < end; at += 1)
      if (at < BITMAP_CODES) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
  }
  return bits;
}

/**
 * Whether a character takes no cell of its own, as wcwidth(3) of glibc has it.
 * @param {number} code
 */
export function isZeroWidth(code) {
  if (code < 0x300) return false;
  if (code < BITMAP_CODES) return ((bitmap[code >> 3] ?? 0) & (1 << (code & 7))) !== 0;
  return code >= TAGS.first && code <= TAGS.last;
}

/**
 * Makes a terminal give each character the cells that programs on the host count: spacing marks one each, invisible
 * characters none. Emoji stay clusters, as the add-on has them.
 * @param {Emulator} terminal
 * @param {{ activate(terminal: any): void }} graphemes The add-on, which is not loaded itself.
 * @param {() => void} [onSpacingMark] Called for each.
 */
export function measureCells(terminal, graphemes, onSpacingMark = () => {}) {
  const { charProperties, marks } = createMeasure(clusteredBy(graphemes), onSpacingMark);
  terminal.unicode.register({
    version: VERSION,
    charProperties,
    wcwidth: (code) => (isZeroWidth(code) ? 0 : toWidth(charProperties(code, 0))),
  });
  terminal.unicode.activeVersion = VERSION;
  skipMarks(terminal, marks);
}

/** @param {{ activate(terminal: any): void }} graphemes */
function clusteredBy(graphemes) {
  /** @type {Provider | undefined} */
  let provider;
  const register = (/** @type {Provider} */ each) => {
    if (each.version.endsWith('graphemes')) provider = each;
  };
  graphemes.activate({ unicode: { register, activeVersion: '' } });
  if (!provider) throw new Error('The graphemes add-on registers no provider');
  return provider;
}

/**
 * @param {Provider} clustered
 * @param {() => void} onSpacingMark
 */
function createMeasure(clustered, onSpacingMark) {
  let marks = 0; // since the last character with a cell
  return {
    marks: () => marks,
    /**
     * @param {number} code
     * @param {Properties} before
     * @returns {Properties}
     */
    charProperties(code, before) {
      if (isZeroWidth(code)) {
        marks += 1;
        return joined(clustered.charProperties(code, 0), code, before);
      }
      marks = 0;
      if (code < 0x7f) return isKeycapBase(code) ? KEYCAP_BASE : PLAIN;
      const own = clustered.charProperties(code, 0);
      if (isMark(own)) onSpacingMark();
      return emojiWith(own, code, before) ?? apart(own);
    },
  };
}

/**
 * @param {Properties} own
 * @param {number} code
 * @param {Properties} before
 */
function joined(own, code, before) {
  const in_emoji = toState(before) & IN_EMOJI;
  const is_widened = code === EMOJI_SELECTOR && in_emoji !== 0 && toWidth(before) > 0;
  return toProperties(kindOf(own) | in_emoji, is_widened ? 2 : toWidth(before), true);
}

/**
 * The emoji that a character continues: a ZWJ sequence, a flag, or a skin tone.
 * @param {Properties} own
 * @param {number} code
 * @param {Properties} before
 */
function emojiWith(own, code, before) {
  if ((toState(before) & IN_EMOJI) === 0 || toWidth(before) === 0) return undefined;
  const kind = kindOf(own);
  if (kind === REGIONAL_INDICATOR && kindOf(before) === REGIONAL_INDICATOR)
    return toProperties(IN_EMOJI, 2, true);
  const is_sequence = kind === PICTOGRAPH && kindOf(before) === ZERO_WIDTH_JOINER;
  if (!is_sequence && !(code >= SKIN_TONES.first && code <= SKIN_TONES.last)) return undefined;
  return toProperties(kind | IN_EMOJI, 2, true);
}

/** @param {Properties} own */
function apart(own) {
  const kind = kindOf(own);
  const is_emoji = kind === PICTOGRAPH || kind === REGIONAL_INDICATOR;
  return toProperties(kind | (is_emoji ? IN_EMOJI : 0), toWidth(own), false);
}

/**
 * xterm gives a mark at the start of a row a cell of its own, since there is no cell to join, and lets a cell grow
 * without bound.
 * @param {Emulator} terminal
 * @param {() => number} marks
 */
function skipMarks(terminal, marks) {
  const isSkipped = (/** @type {number} */ code) =>
    isZeroWidth(code) && (marks() >= MAX_MARKS || terminal.buffer.active.cursorX === 0);
  replacePrint(terminal, (print) => (codes, start, end) => {
    let from = start;
    if (isSkipped(codes[from] ?? 0)) while (from < end && isZeroWidth(codes[from] ?? 0)) from += 1;
    if (from < end) print(codes, from, end);
  });
}

/**
 * @param {number} state
 * @param {number} width
 * @param {boolean} joins
 * @returns {Properties}
 */
function toProperties(state, width, joins) {
  return (state << 3) | (width << 1) | (joins ? 1 : 0);
}

/** @param {Properties} properties */
const toState = (properties) => properties >> 3;

/** @param {Properties} properties */
const isMark = (properties) => [EXTEND, SPACING_MARK].includes(kindOf(properties));

/** @param {Properties} properties */
const kindOf = (properties) => (properties >> 3) & KIND_MASK;

/**
 * @param {Properties} properties
 * @returns {0 | 1 | 2}
 */
const toWidth = (properties) => /** @type {0 | 1 | 2} */ ((properties >> 1) & 3);

/** @param {number} code */
const isKeycapBase = (code) => (code >= 0x30 && code <= 0x39) || code === 0x23 || code === 0x2a;
