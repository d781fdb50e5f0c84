// @ts-check

/**
 * @typedef {import('@xterm/headless').Terminal} Terminal
 * @typedef {import('@xterm/headless').IBufferLine} IBufferLine
 */

const MAX_HELD = 10_000; // blanks, or empty lines, that may turn out to be the last

/** To be written after each `settle`: what has left the screen goes. Programs write it without the question mark. */
export const FORGET = '\x1b[?3J';

/** What leaves a terminal's normal screen, as lines of text; alternate screens leave nothing. */
export class Transcript {
  #terminal;
  #text = new Lines();
  /** So many rows of the buffer were taken; an alternate screen keeps them from being forgotten. */
  #taken = 0;

  /** @param {Terminal} terminal */
  constructor(terminal) {
    this.#terminal = terminal;
    terminal.parser.registerCsiHandler({ final: 'J' }, ([what]) => what === 3); // `clear` does it before it was taken
    terminal.parser.registerEscHandler({ final: 'c' }, () => this.#takeScreen()); // a reset erases as well
  }

  settle() {
    const { normal, active } = this.#terminal.buffer;
    this.#takeUntil(normal.baseY);
    if (active.type === 'normal') this.#taken = 0;
  }

  /** What was settled since the last time. */
  take() {
    return this.#text.take();
  }

  /** And what is on the screen now. */
  end() {
    this.#takeScreen();
    return this.#text.end();
  }

  #takeScreen() {
    const { normal } = this.#terminal.buffer;
    let end = normal.length;
    while (end > normal.baseY && normal.getLine(end - 1)?.translateToString(true) === '') end -= 1;
    this.#takeUntil(end);
    this.#taken = 0;
    return false;
  }

  /** @param {number} end */
  #takeUntil(end) {
    const { normal } = this.#terminal.buffer;
    for (; this.#taken < end; this.#taken += 1) {
      const row = normal.getLine(this.#taken);
      if (row) this.#text.add(row);
    }
  }
}

/** Joins rows to lines; blanks at the end of a line are left out, and so are empty lines at the end of all. */
class Lines {
  #text = '';
  #breaks = 0;
  #blanks = 0;
  #is_first = true;
  #has_text = false;

  /** @param {IBufferLine} row */
  add(row) {
    if (!row.isWrapped) this.#break();
    this.#is_first = false;
    const shown = row.translateToString(true); // without cells that nothing was written to
    const trimmed = shown.trimEnd();
    if (trimmed !== '') {
      this.#giveBreaks();
      this.#text += ' '.repeat(this.#blanks) + trimmed;
      this.#has_text = true;
      this.#blanks = 0;
    }
    this.#blanks = Math.min(MAX_HELD, this.#blanks + shown.length - trimmed.length);
  }

  take() {
    const taken = this.#text;
    this.#text = '';
    return taken;
  }

  end() {
    return this.#has_text ? `${this.take()}\n` : '';
  }

  #break() {
    if (!this.#is_first) this.#breaks += 1;
    this.#blanks = 0;
    if (this.#breaks > MAX_HELD) this.#giveBreaks();
  }

  #giveBreaks() {
    this.#text += '\n'.repeat(this.#breaks);
    this.#breaks = 0;
  }
}
