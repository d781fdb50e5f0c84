// @ts-check

const ESC = 0x1b;
const K = 0x6b;
const TITLE = [...']2;'].map((character) => character.charCodeAt(0));

/** Reads the title of screen and tmux, `ESC k title ST`, as OSC 2: emulators would draw it. Works on chunks of any length. */
export function createTitles() {
  let is_escape = false; // the chunk before ended with ESC
  return {
    /** @param {string} text */
    inText(text) {
      if (text === '') return text;
      const begun = is_escape && text.startsWith('k') ? `]2;${text.slice(1)}` : text;
      is_escape = text.endsWith('\x1b');
      return begun.replaceAll('\x1bk', '\x1b]2;');
    },
    /**
     * @param {Uint8Array} bytes
     * @returns {Uint8Array}
     */
    inBytes(bytes) {
      if (bytes.length === 0) return bytes;
      const starts = startsIn(bytes, is_escape);
      is_escape = bytes.at(-1) === ESC;
      if (starts.length === 0) return bytes;
      const read = new Uint8Array(bytes.length + starts.length * (TITLE.length - 1));
      let from = 0;
      let at = 0;
      for (const start of starts) {
        read.set(bytes.subarray(from, start), at);
        at += start - from;
        read.set(TITLE, at);
        at += TITLE.length;
        from = start + 1;
      }
      read.set(bytes.subarray(from), at);
      return read;
    },
  };
}

/**
 * Where each `k` after ESC is.
 * @param {Uint8Array} bytes
 * @param {boolean} is_escape
 */
function startsIn(bytes, is_escape) {
  const starts = is_escape && bytes[0] === K ? [0] : [];
  for (let at = bytes.indexOf(ESC); at >= 0; at = bytes.indexOf(ESC, at + 1))
    if (bytes[at + 1] === K) starts.push(at + 1);
  return starts;
}

/**
 * Makes a terminal take such titles.
 * @param {{ write(data: string | Uint8Array, parsed?: () => void): void }} terminal
 */
export function takeTitles(terminal) {
  const titles = createTitles();
  const write = terminal.write.bind(terminal);
  terminal.write = (data, parsed) =>
    write(typeof data === 'string' ? titles.inText(data) : titles.inBytes(data), parsed);
}
