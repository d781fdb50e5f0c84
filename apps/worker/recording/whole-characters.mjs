// @ts-check
import { isUtf8 } from 'node:buffer';
import { incompleteFrom } from '../threads/utf8.mjs';

const NONE = new Uint8Array(0);

/** Turns a byte stream into well-formed UTF-8: a split character comes with its second piece, invalid bytes as U+FFFD. */
export function createWholeCharacters() {
  let begun = NONE;
  return {
    /** @param {Uint8Array} piece */
    take(piece) {
      const bytes = begun.length > 0 ? Buffer.concat([begun, piece]) : piece;
      const end = incompleteFrom(bytes);
      begun = end < bytes.length ? bytes.slice(end) : NONE;
      return wellFormed(bytes.subarray(0, end));
    },
    held_bytes: () => begun.length,
    /** The rest of a character that was never completed. */
    rest() {
      const rest = wellFormed(begun);
      begun = NONE;
      return rest;
    },
  };
}

/** @param {Uint8Array} bytes */
function wellFormed(bytes) {
  return isUtf8(bytes) ? bytes : Buffer.from(Buffer.from(bytes).toString());
}
