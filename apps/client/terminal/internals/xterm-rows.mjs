// @ts-check

/**
 * Gives the rows of xterm's DOM renderer another document to make their elements with. Does nothing while the WebGL renderer is
 * in use, which makes none.
 * @param {object} terminal
 * @param {object} document
 */
export function setRowDocument(terminal, document) {
  /** @type {any} */
  const { _core: core } = /** @type {any} */ (terminal);
  const factory = core?._renderService?._renderer?.value?._rowFactory;
  if (factory) factory._document = document;
}
