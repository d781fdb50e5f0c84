// @ts-check
import { createEmulator, feed } from '../screen/emulator.mjs';
import { linesOf, parseEvent, parseHeaderSize } from './events.mjs';
import { createPieces } from './pieces.mjs';
import { openSource } from './source.mjs';
import { FORGET, Transcript } from './transcript.mjs';

/** @typedef {import('../screen/emulator.mjs').Step} Step */

const ROUND_STEPS = 16; // other texts wait for the whole round
const SHORT_ROUND_MS = 100; // slower rounds get fewer steps
const ENOUGH_LENGTH = 16 * 1024; // small outputs are combined
const MAX_ROUND_MS = 3000; // 3 ms is typical
// In total; half a second per MiB is typical on an idle machine.
const MAX_MS = 30_000;
const MAX_MS_PER_BYTE = 4000 / (1024 * 1024);
const TOO_LONG = '\n[The rest of this recording would take too long to convert to text]\n';
const DEFAULT_SIZE = { cols: 80, rows: 24 };
const SCROLLBACK = 2500; // more than two pieces can produce
const MAX_COLS = 500; // memory of each open text grows with the size
const MAX_ROWS = 200;

/**
 * Opens a cast as plain text that `next` returns in parts; throws system errors.
 * @param {string} path Or the signed URL of an object.
 * @param {() => number} now Milliseconds.
 */
export async function openPlainText(path, now = () => performance.now()) {
  const file = await openSource(path);
  const text = textOf(file, now);
  return {
    next: () => text.next(),
    async close() {
      await text.return(undefined);
      await file.close();
    },
  };
}

/**
 * @param {import('./source.mjs').Source} file
 * @param {() => number} now
 * @returns {AsyncGenerator<string, undefined>}
 */
async function* textOf(file, now) {
  const lines = linesOf(file);
  const { value: header } = await lines.next();
  const size = (header && parseHeaderSize(header)) ?? DEFAULT_SIZE;
  const terminal = createEmulator({ size: bounded(size), scrollback: SCROLLBACK, keeps_erased: true });
  const transcript = new Transcript(terminal);
  const options = { done: () => transcript.settle(), after: FORGET };
  const budget = createTimeBudget();
  try {
    for await (const steps of roundsOf(lines, budget.steps)) {
      const begun_ms = now();
      await feed(terminal, steps, options);
      const took_ms = now() - begun_ms; // excludes the time of the consumer
      yield transcript.take();
      if (budget.isTooLong(steps, took_ms)) return yield TOO_LONG;
    }
    yield transcript.end();
  } finally {
    terminal.dispose();
  }
}

/** Adapts the size of a round to its duration, and limits the total time. */
function createTimeBudget() {
  let most_steps = 1; // until the first round is measured
  let left_ms = MAX_MS;
  return {
    steps: () => most_steps,
    /**
     * @param {readonly Step[]} steps
     * @param {number} took_ms
     */
    isTooLong(steps, took_ms) {
      const length = steps.reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
      left_ms += length * MAX_MS_PER_BYTE - took_ms;
      most_steps =
        took_ms > SHORT_ROUND_MS ? Math.ceil(most_steps / 2) : Math.min(ROUND_STEPS, 2 * most_steps);
      return took_ms > MAX_ROUND_MS || left_ms < 0;
    },
  };
}

/**
 * Groups steps into rounds.
 * @param {AsyncGenerator<Buffer>} lines
 * @param {() => number} most_steps
 */
async function* roundsOf(lines, most_steps) {
  /** @type {Step[]} */
  let steps = [];
  for await (const step of stepsOf(lines)) {
    if (steps.push(step) < most_steps()) continue;
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
  /** @type {import('#core/ports/ssh.ts').PtySize | undefined} */
  let size; // the latest size, applied with the next output
  for await (const line of lines) {
    const { data = '', size: changed } = parseEvent(line) ?? {};
    if (data !== '' && size) {
      yield { size: bounded(size) };
      size = undefined;
    }
    length += pieces.add(data);
    size = changed ?? size;
    if (length < ENOUGH_LENGTH && !(changed && length > 0)) continue;
    yield* pieces.take();
    length = 0;
  }
  yield* pieces.rest();
}

/** @param {import('#core/ports/ssh.ts').PtySize} size */
function bounded({ cols, rows }) {
  return { cols: Math.min(cols, MAX_COLS), rows: Math.min(rows, MAX_ROWS) };
}
