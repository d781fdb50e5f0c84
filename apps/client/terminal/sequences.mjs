// @ts-check

/** @typedef {'text' | 'escape' | 'intermediate' | 'csi' | 'string' | 'string_escape'} SequenceState */

const ESC = 0x1b;
const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const STRINGS = [...'PX]^_k'].map((character) => character.charCodeAt(0)); // DCS, SOS, OSC, PM, APC, a title of screen

/** @type {Record<SequenceState, (code: number) => SequenceState>} */
const NEXT = {
  text: () => 'text',
  escape: afterEscape,
  string_escape: afterEscape,
  intermediate: (code) => (code >= 0x30 ? 'text' : 'intermediate'),
  csi: (code) => (code >= 0x40 ? 'text' : 'csi'),
  string: (code) => (code === BEL ? 'text' : 'string'),
};

/**
 * Follows the beginning and the end of control sequences (ECMA-48 §5.4, §5.6).
 * @param {SequenceState} state
 * @param {number} code
 * @returns {SequenceState}
 */
export function nextState(state, code) {
  if (code === CAN || code === SUB) return 'text';
  if (code === ESC) return state === 'string' ? 'string_escape' : 'escape';
  return NEXT[state](code);
}

/**
 * @param {number} code
 * @returns {SequenceState}
 */
function afterEscape(code) {
  if (code === 0x5b) return 'csi';
  if (STRINGS.includes(code)) return 'string';
  return code >= 0x20 && code < 0x30 ? 'intermediate' : 'text';
}
