// @ts-check

/**
 * One line of a cast file.
 * @typedef {object} CastLine
 * @property {number} end Its end offset in the bytes taken.
 * @property {number} at_ms
 * @property {Uint8Array | undefined} text Well-formed UTF-8 of an output event.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MAX_ESCAPE_BYTES = 6; // \u001b
const FRAME_BYTES = 64; // at most, around the text of a line

/** @type {(Uint8Array | undefined)[]} The JSON escape of each byte that needs one. */
const ESCAPES = Array.from({ length: 256 }, (_none, byte) => {
  const is_plain = byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH;
  return is_plain ? undefined : Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1));
});
const WIDTHS = Uint8Array.from(ESCAPES, (escaped) => escaped?.length ?? 1);

const TAIL = Buffer.from('"]\n');

/** @param {number} at_ms */
const outputHead = (at_ms) => `[${at_ms / 1000},"o","`;

/**
 * An output event that the gateway itself adds.
 * @param {number} at_ms
 * @param {string} text
 */
export function noteLine(at_ms, text) {
  return Buffer.from(
    `${JSON.stringify([at_ms / 1000, 'o', `\r\n[The recording ends here: ${text}]\r\n`])}\n`,
  );
}

/**
 * How many leading bytes fit into a line of `room` bytes without splitting a character.
 * @param {number} at_ms
 * @param {Uint8Array} text
 * @param {number} room
 */
export function fittingLength(at_ms, text, room) {
  let left = room - outputHead(at_ms).length - TAIL.length;
  let whole = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const byte = text[at] ?? 0;
    if ((byte & 0xc0) !== 0x80) whole = at;
    left -= WIDTHS[byte] ?? 1;
    if (left < 0) return whole;
  }
  return text.length;
}

/** Collects lines in a buffer that is reused. */
export function createLines() {
  let into = Buffer.allocUnsafeSlow(64 * 1024);
  let used = 0;
  /** @type {CastLine[]} */
  let lines = [];

  /** @param {number} more */
  function makeRoom(more) {
    if (used + more <= into.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (used + more));
    into.copy(larger, 0, 0, used);
    into = larger;
  }

  return {
    /**
     * @param {number} at_ms
     * @param {Uint8Array} text
     */
    output(at_ms, text) {
      makeRoom(text.length * MAX_ESCAPE_BYTES + FRAME_BYTES);
      used += into.write(outputHead(at_ms), used, 'latin1');
      used = escapeInto(into, used, text);
      into.set(TAIL, used);
      used += TAIL.length;
      lines.push({ end: used, at_ms, text });
    },
    /**
     * @param {number} at_ms
     * @param {import('#core/ports/ssh.ts').PtySize} size
     */
    resize(at_ms, { cols, rows }) {
      makeRoom(FRAME_BYTES);
      used += into.write(`[${at_ms / 1000},"r","${cols}x${rows}"]\n`, used, 'latin1');
      lines.push({ end: used, at_ms, text: undefined });
    },
    /** The bytes are valid until the next line is added. */
    take() {
      const taken = { bytes: into.subarray(0, used), lines };
      used = 0;
      lines = [];
      return taken;
    },
  };
}

/**
 * Escapes bytewise as latin1: JSON leaves the bytes of multi-byte characters unchanged.
 * @param {Buffer} into
 * @param {number} at
 * @param {Uint8Array} text
 */
function escapeInto(into, at, text) {
  const quoted = JSON.stringify(Buffer.from(text.buffer, text.byteOffset, text.length).toString('latin1'));
  return at + into.write(quoted.slice(1, -1), at, 'latin1');
}
