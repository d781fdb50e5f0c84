// @ts-check
import { open } from 'node:fs/promises';
import { createEmulator, feed } from '../screen/emulator.mjs';
import { linesOf, shownOf, sizeOfHeader } from './cast-events.mjs';
import { createPieces } from './pieces.mjs';
import { FORGET, Transcript } from './transcript.mjs';

/** @typedef {import('../screen/emulator.mjs').Step} Step */

const ROUND_STEPS = 16; // others wait so long
const ENOUGH_LENGTH = 16 * 1024; // small outputs are taken together
const MOST_ROUND_MS = 3000; // the usual takes 3
const TOO_LONG = '\n[The rest of this recording would take too long to be made a text]\n';
const DEFAULT_SIZE = { cols: 80, rows: 24 };
const SCROLLBACK = 2500; // more than two pieces can fill
const MOST_COLS = 500; // memory for each text that is open grows with them
const MOST_ROWS = 200;

/**
 * Plain text of a cast, some for each `next`; throws what the system says.
 * @param {string} path
 */
export async function openPlainText(path) {
  const file = await open(path, 'r');
  const text = textOf(file);
  return {
    next: () => text.next(),
    async close() {
      await text.return(undefined);
      await file.close();
    },
  };
}

/**
 * @param {import('node:fs/promises').FileHandle} file
 * @returns {AsyncGenerator<string, undefined>}
 */
async function* textOf(file) {
  const lines = linesOf(file);
  const { value: header } = await lines.next();
  const size = (header && sizeOfHeader(header)) ?? DEFAULT_SIZE;
  const terminal = createEmulator({ size: bounded(size), scrollback: SCROLLBACK, keeps_erased: true });
  const transcript = new Transcript(terminal);
  const options = { done: () => transcript.settle(), after: FORGET };
  try {
    for await (const steps of roundsOf(lines)) {
      const begun_ms = performance.now();
      await feed(terminal, steps, options);
      yield transcript.take();
      if (performance.now() - begun_ms > MOST_ROUND_MS) return yield TOO_LONG;
    }
    yield transcript.end();
  } finally {
    terminal.dispose();
  }
}

/**
 * So many steps as are done without looking up.
 * @param {AsyncGenerator<Buffer>} lines
 */
async function* roundsOf(lines) {
  /** @type {Step[]} */
  let steps = [];
  for await (const step of stepsOf(lines)) {
    if (steps.push(step) < ROUND_STEPS) continue;
    yield steps;
    steps = [];
  }
  yield steps;
}

/**
 * @param {AsyncGenerator<Buffer>} lines
 * @returns {AsyncGenerator<Step>}
 */
async function* stepsOf(lines) {
  const pieces = createPieces();
  let length = 0;
  for await (const line of lines) {
    const shown = shownOf(line);
    length += pieces.add(shown?.data ?? '');
    if (length < ENOUGH_LENGTH && !shown?.size) continue;
    yield* pieces.take();
    length = 0;
    if (shown?.size) yield { size: bounded(shown.size) };
  }
  yield* pieces.take();
}

/** @param {import('#core/ports/ssh.ts').PtySize} size */
function bounded({ cols, rows }) {
  return { cols: Math.min(cols, MOST_COLS), rows: Math.min(rows, MOST_ROWS) };
}
