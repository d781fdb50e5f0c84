// @ts-check
import { beat, serve } from '../threads/serve.mjs';
import { incompleteFrom } from '../threads/utf8.mjs';
import { drawScreen } from './draw.mjs';
import { createEmulator, feed } from './emulator.mjs';
import { unfinishedFrom } from './incomplete.mjs';

/**
 * @typedef {import('./screen-verbs.ts').ScreenOrderStep} OrderStep
 * @typedef {import('./emulator.mjs').Step} Step
 */

// Rows kept; even if not shown, some reappear when a screen grows.
const SCROLLBACK = { shown: 5000, unshown: 1000 };
const DEFAULT_SIZE = { cols: 80, rows: 24 };

/** @type {import('../threads/serve.mjs').Served<import('./screen-verbs.ts').ScreenVerbs>} */
const verbs = {
  async render({ steps, buffer, scrollback }) {
    const bytes = Buffer.from(buffer);
    const end = unfinishedEnd(bytes);
    const size = steps[0]?.size ?? DEFAULT_SIZE;
    const kept = scrollback ? SCROLLBACK.shown : SCROLLBACK.unshown;
    const terminal = createEmulator({ size, scrollback: kept, keeps_erased: false });
    try {
      await feed(terminal, stepsOf(steps, bytes.subarray(0, end), scrollback));
      const drawn = await drawScreen(terminal, scrollback);
      // An incomplete sequence continues with the next output.
      return { buffer: joined(drawn, bytes.subarray(end)) };
    } finally {
      terminal.dispose();
    }
  },
};

/**
 * Where an incomplete sequence or character starts.
 * @param {Buffer} bytes
 */
function unfinishedEnd(bytes) {
  return Math.min(unfinishedFrom(bytes.toString('latin1')), incompleteFrom(bytes));
}

/**
 * @param {readonly OrderStep[]} steps
 * @param {Buffer} bytes
 * @param {boolean} scrollback
 * @returns {Step[]}
 */
function stepsOf(steps, bytes, scrollback) {
  let at = 0;
  return steps.map((step) => {
    if (step.size) return { size: step.size, forgets: step.by_guest && !scrollback };
    at += step.bytes;
    return { data: bytes.subarray(at - step.bytes, at) };
  });
}

/**
 * @param {string} text
 * @param {Uint8Array} rest
 */
function joined(text, rest) {
  const drawn = new TextEncoder().encode(text);
  const all = new Uint8Array(drawn.length + rest.length);
  all.set(drawn);
  all.set(rest, drawn.length);
  return all.buffer;
}

serve(verbs);
beat(); // the start of the thread must not count as silence
