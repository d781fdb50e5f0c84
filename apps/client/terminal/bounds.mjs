// @ts-check

/**
 * @typedef {(number | number[])[]} Params
 * @typedef {object} Emulator A terminal of xterm, in a page or on the gateway.
 * @property {number} rows
 * @property {number} cols
 * @property {{ active: { cursorX: number, cursorY: number, length: number } }} buffer
 * @property {{ registerCsiHandler(id: { prefix?: string, final: string }, handle: (params: Params) => boolean): unknown }} parser
 */

const MAX_LINES = 200; // each moves all lines below it
/** Sequences with a repeat count, which a hostile host may set to 2^31. */
const REPEATED = { lines: ['L', 'M', 'S', 'T'], cells: ['I', 'Z', 'b'] };

/**
 * Ignores sequences that would keep a terminal busy for minutes, or stop it for good.
 * @param {Emulator} terminal
 */
export function boundSequences(terminal) {
  const { parser } = terminal;
  const ignoreBeyond = (/** @type {string} */ final, /** @type {() => number} */ most) =>
    parser.registerCsiHandler({ final }, ([times]) => Number(times) > most());
  for (const final of REPEATED.lines) ignoreBeyond(final, () => Math.min(terminal.rows, MAX_LINES));
  for (const final of REPEATED.cells) ignoreBeyond(final, () => terminal.cols);
  // xterm 6.0 throws when it erases backwards from the very last cell, because it accesses the line below.
  const isFatal = (/** @type {Params} */ [what]) => what === 1 && isAtVeryEnd(terminal);
  parser.registerCsiHandler({ final: 'J' }, isFatal);
  parser.registerCsiHandler({ prefix: '?', final: 'J' }, isFatal);
}

/** @param {Emulator} terminal */
function isAtVeryEnd({ buffer: { active }, rows, cols }) {
  return active.cursorX >= cols - 1 && active.cursorY === rows - 1 && active.length === rows;
}
