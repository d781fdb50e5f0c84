// @ts-check
import { linesOf, parseEvent } from './events.mjs';
import { openSource } from './source.mjs';

const ROUND_MS = 50; // other searches wait for the whole round
const MAX_LINE = 4 * 1024; // characters; the rest of a longer line is not searched
const MAX_EXCERPT = 300;
const MAX_SEQUENCE = 4096;
const MOST_MATCHES = 20; // per recording

// Control sequences (ECMA-48 §5.4, §5.6): CSI, strings up to their terminator, other escapes.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_k][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\`-jl-~])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
const CONTROLS = /[\x00-\x07\x0b-\x1f\x7f]/g;

/**
 * A line that was written with the text in it.
 * @typedef {{ at_s: number, line: string }} Match
 */

/**
 * Opens a cast whose output `next` searches in rounds, without drawing it: faster than its text, and it finds what
 * full-screen programs showed.
 * @param {string} path Or the signed URL of an object.
 * @param {string} text
 */
export async function openSearch(path, text) {
  const file = await openSource(path);
  const matches = matchesIn(file, text.toLowerCase());
  return {
    next: () => matches.next(),
    async close() {
      await matches.return(undefined);
      await file.close();
    },
  };
}

/**
 * @param {import('./source.mjs').Source} file
 * @param {string} wanted Lower case.
 * @returns {AsyncGenerator<Match[], undefined>}
 */
async function* matchesIn(file, wanted) {
  const lines = createWrittenLines();
  /** @type {Match[]} */
  let found = [];
  let count = 0;
  let begun_ms = performance.now();
  /** @param {Match[]} written */
  const look = (written) => {
    for (const { at_s, line } of written) {
      const at = line.toLowerCase().indexOf(wanted);
      if (at < 0 || count === MOST_MATCHES) continue;
      count += 1;
      found.push({ at_s, line: excerpt(line, at) });
    }
  };
  for await (const line of linesOf(file)) {
    const event = parseEvent(line);
    if (event?.data) look(lines.add(event.at_s, event.data));
    if (count >= MOST_MATCHES) break;
    if (performance.now() - begun_ms < ROUND_MS) continue;
    yield found;
    found = [];
    begun_ms = performance.now();
  }
  look(lines.end());
  yield found;
}

/** Output as lines, each with the time at which it was complete. */
function createWrittenLines() {
  let begun = '';
  let last_s = 0;
  return {
    /**
     * @param {number} at_s
     * @param {string} data
     * @returns {Match[]}
     */
    add(at_s, data) {
      last_s = at_s;
      const { text, held } = withoutOpenSequence(begun + data);
      const lines = text.replace(SEQUENCES, '').split(/\r?\n|\r/);
      begun = (lines.pop() ?? '').slice(0, MAX_LINE) + held;
      return lines.map((line) => ({ at_s, line: shown(line) }));
    },
    /** @returns {Match[]} */
    end: () => [{ at_s: last_s, line: shown(begun.replace(SEQUENCES, '')) }],
  };
}

/**
 * Holds back a control sequence that has only begun.
 * @param {string} text
 */
function withoutOpenSequence(text) {
  const at = text.lastIndexOf('\x1b');
  const last = at < 0 ? '' : text.slice(at);
  const is_open = last !== '' && last.length < MAX_SEQUENCE && last.replace(SEQUENCES, '') === last;
  return is_open ? { text: text.slice(0, at), held: last } : { text, held: '' };
}

/**
 * Without what a backspace has erased.
 * @param {string} line
 */
function shown(line) {
  let text = line.slice(0, MAX_LINE);
  if (text.includes('\b')) {
    /** @type {string[]} */
    const kept = [];
    for (const character of text) {
      if (character === '\b') kept.pop();
      else kept.push(character);
    }
    text = kept.join('');
  }
  return text.replace(CONTROLS, '').trimEnd();
}

/**
 * @param {string} line
 * @param {number} at
 */
function excerpt(line, at) {
  const start = Math.max(0, at - MAX_EXCERPT / 3);
  return line.slice(start, start + MAX_EXCERPT).trim();
}
