// @ts-check

/**
 * @typedef {import('@xterm/headless').Terminal} Terminal
 * @typedef {import('@xterm/headless').IBufferLine} IBufferLine
 */

const MAX_HELD = 10_000; // pending blanks or empty lines, which are dropped at the end

/** Written after each `settle` to clear the scrollback. Programs send it without the question mark. */
export const FORGET = '\x1b[?3J';

/** Collects the text that leaves a terminal's normal screen; alternate screens leave none. */
export class Transcript {
  #terminal;
  #text = new Lines();
  /** Rows of the buffer already taken; they stay in it while an alternate screen is active. */
  #taken = 0;

  /** @param {Terminal} terminal */
  constructor(terminal) {
    this.#terminal = terminal;
    terminal.parser.registerCsiHandler({ final: 'J' }, ([what]) => what === 3); // ignored: `clear` sends it before the rows are taken
    terminal.parser.registerEscHandler({ final: 'c' }, () => this.#takeScreen()); // a reset also erases the screen
  }

  settle() {
    const { normal, active } = this.#terminal.buffer;
    this.#takeUntil(normal.baseY);
    if (active.type === 'normal') this.#taken = 0;
  }

  /** The text since the last call. */
  take() {
    return this.#text.take();
  }

  /** The remaining text, including what is on the screen. */
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

/** Joins rows into lines without trailing blanks or trailing empty lines. */
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
    const shown = row.translateToString(true); // excludes cells that were never written
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
