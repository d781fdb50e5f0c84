// @ts-check
import { unfinishedFrom } from '../screen/incomplete.mjs';

const MAX_LENGTH = 1024; // at worst, every character is a line
const MAX_BEGUN = 1024 * 1024; // of one unfinished sequence, which is scanned again with each addition
const LONG = 4096; // a longer unfinished sequence is scanned again only when it has doubled
const ALTERNATE = ['\x1b[?1049h', '\x1b[?1047h', '\x1b[?47h'];

function* none() {}

/** Splits terminal output into pieces, never within an escape sequence or a character. */
export function createPieces() {
  let waiting = '';
  let next_look = 0;

  /** @returns {Generator<{ data: string }>} */
  function* rest() {
    let from = 0;
    for (let end = endOf(waiting, 0); end > from; end = endOf(waiting, from)) {
      yield { data: waiting.slice(from, end) };
      from = end;
    }
    waiting = waiting.length - from > MAX_BEGUN ? '' : waiting.slice(from);
    next_look = waiting.length > LONG ? 2 * waiting.length : 0;
  }

  return {
    /** @param {string} data */
    add(data) {
      waiting += data;
      return data.length;
    },
    /** @returns {Generator<{ data: string }>} */
    take: () => (waiting.length < next_look ? none() : rest()),
    rest,
  };
}

/**
 * @param {string} text
 * @param {number} from
 */
function endOf(text, from) {
  for (let length = MAX_LENGTH; ; length *= 2) {
    const part = text.slice(from, from + length);
    const end = beforeAlternate(part.slice(0, unfinishedFrom(part)));
    if (end > 0 || from + length >= text.length) return from + end - (endsInHalf(part, end) ? 1 : 0);
  }
}

/**
 * Ends a piece before a switch to the alternate screen.
 * @param {string} part
 */
function beforeAlternate(part) {
  const starts = ALTERNATE.map((sequence) => part.indexOf(sequence, 1)).filter((at) => at > 0);
  return Math.min(part.length, ...starts);
}

/**
 * @param {string} part
 * @param {number} end
 */
function endsInHalf(part, end) {
  return (part.charCodeAt(end - 1) & 0xfc00) === 0xd800 && end > 1;
}
