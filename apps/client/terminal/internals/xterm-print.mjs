// @ts-check

/**
 * Prints part of a row of characters.
 * @typedef {(codes: Uint32Array, start: number, end: number) => void} Print
 */

/**
 * Puts another handler in front of the one that prints characters: xterm lets programs handle escape sequences only.
 * @param {any} terminal
 * @param {(print: Print) => Print} replaced
 */
export function replacePrint(terminal, replaced) {
  const handler = terminal._core?._inputHandler;
  if (typeof handler?.print !== 'function') throw new Error('This version of xterm has no print handler');
  handler.print = replaced(handler.print.bind(handler));
}
