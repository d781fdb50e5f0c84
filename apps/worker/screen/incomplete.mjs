// @ts-check

const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;

/**
 * Where an unfinished control sequence starts, else the length; works on text and on UTF-8 bytes as latin1.
 * A sequence that ends with the C1 form of ST counts as unfinished.
 * @param {string} text
 */
export function unfinishedFrom(text) {
  const begin = text.lastIndexOf('\x1b');
  return begin >= 0 && isUnfinished(text, begin) ? begin : text.length;
}

/**
 * ECMA-48 §5.4 and §5.6; control characters within a sequence take effect at once, CAN and SUB cancel it.
 * @param {string} text
 * @param {number} begin
 */
function isUnfinished(text, begin) {
  const kind = text.charAt(begin + 1);
  const isEach = each(text, begin + 2);
  if (kind === '') return true;
  if (kind === '[') return isEach((code) => code < 0x40 && !isCancel(code));
  if (kind === ']' || kind === 'k') return isEach((code) => code !== BEL && !isCancel(code));
  if ('PX^_'.includes(kind)) return isEach((code) => !isCancel(code));
  return isIntermediate(kind.charCodeAt(0)) && isEach(isIntermediate);
}

/** @param {number} code */
const isCancel = (code) => code === CAN || code === SUB;

/** @param {number} code */
const isIntermediate = (code) => code >= 0x20 && code < 0x30;

/**
 * @param {string} text
 * @param {number} from
 */
function each(text, from) {
  return (/** @type {(code: number) => boolean} */ holds) => {
    for (let at = from; at < text.length; at += 1) if (!holds(text.charCodeAt(at))) return false;
    return true;
  };
}
