import { FitAddon } from '@xterm/addon-fit';
import type { Terminal } from '@xterm/xterm';
import type { TerminalSize } from '#client/terminal/target.ts';
import { isSmall, shrunkFont, slidTo } from './fixed-fit.ts';

const FIT_DELAY_MS = 80; // one resize for a drag of the window
const SCROLL_BAR_PX = 14; // of the terminal itself, laid over its right edge
const FONT_TRIES = 20; // cells grow in steps: what is computed may still be a trace too wide
const CELLS_AHEAD = 4; // what is typed next is in sight too

export interface Fitting {
  now(): void;
  /** Somebody else decides on the size: the font shrinks until it fits. */
  fix(size: TerminalSize): void;
  /** Where a fixed size would make the letters too small, they keep their own size, and the pane scrolls. */
  setReadable(wanted: boolean): void;
  setFontSize(size: number): void;
  /** Undefined: it was never shown. */
  size(): TerminalSize | undefined;
  dispose(): void;
}

/** Keeps the terminal as large as its element, and tells whether a fixed size makes its letters too small. */
export function createFitting(
  terminal: Terminal,
  element: HTMLElement,
  onSmall: (is_small: boolean) => void,
): Fitting {
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  let font_size = terminal.options.fontSize ?? 0;
  let fixed: TerminalSize | undefined;
  let is_readable = false;
  let is_fitted = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function fitFixed({ cols, rows }: TerminalSize): void {
    terminal.options.fontSize = font_size;
    terminal.resize(cols, rows);
    const fitted = shrink(terminal, element, font_size);
    const is_small = isSmall(fitted, font_size);
    if (is_small && is_readable) terminal.options.fontSize = font_size;
    onSmall(is_small);
    placeField(terminal);
    showCursor(terminal, element);
  }

  function now(): void {
    if (element.clientWidth === 0 || element.clientHeight === 0) return; // a hidden tab measures nothing
    if (fixed) fitFixed(fixed);
    else fit.fit();
    is_fitted = true;
  }

  const observer = new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(now, FIT_DELAY_MS);
  });
  observer.observe(element);
  terminal.onData(() => fixed && showCursor(terminal, element));
  return {
    now,
    fix(size) {
      fixed = size;
      element.classList.add('terminal-host-fixed');
      terminal.resize(size.cols, size.rows); // also while it is hidden: the screen that follows is of this size
      now();
    },
    setReadable(wanted) {
      if (is_readable === wanted) return;
      is_readable = wanted;
      now();
    },
    setFontSize(size) {
      font_size = size;
      terminal.options.fontSize = size;
      now();
    },
    size: () => (is_fitted ? { cols: terminal.cols, rows: terminal.rows } : undefined),
    dispose() {
      clearTimeout(timer);
      observer.disconnect();
    },
  };
}

/** The size of letters with which all columns and rows are in sight; they are drawn in it. */
function shrink(terminal: Terminal, element: HTMLElement, font_size: number): number {
  const { width, height } = element.getBoundingClientRect();
  const room = { width: width - SCROLL_BAR_PX, height };
  let fitted = font_size;
  for (let tries = 0; tries < FONT_TRIES; tries += 1) {
    const smaller = shrunkFont(fitted, drawnSize(terminal), room);
    if (smaller === fitted) break;
    fitted = smaller;
    terminal.options.fontSize = fitted;
  }
  return fitted;
}

/** Where the terminal is larger than its element, as little as it takes. */
function showCursor(terminal: Terminal, element: HTMLElement): void {
  const { left, top, cell } = cursorOf(terminal);
  element.scrollLeft = slidTo(
    { from: element.scrollLeft, length: element.clientWidth },
    { from: left, length: CELLS_AHEAD * cell.width },
  );
  element.scrollTop = slidTo(
    { from: element.scrollTop, length: element.clientHeight },
    { from: top, length: cell.height },
  );
}

/** Until the cursor moves, xterm leaves its field where larger letters had it: the pane would scroll as far as there. */
function placeField(terminal: Terminal): void {
  const { left, top, cell } = cursorOf(terminal);
  const place = { left, top, width: cell.width, height: cell.height, 'line-height': cell.height };
  for (const [name, px] of Object.entries(place)) terminal.textarea?.style.setProperty(name, `${px}px`);
}

function cursorOf(terminal: Terminal) {
  const { cols, rows, buffer } = terminal;
  const { cursorX, cursorY } = buffer.active;
  const drawn = drawnSize(terminal);
  const cell = { width: drawn.width / cols, height: drawn.height / rows };
  return { cell, left: Math.min(cursorX, cols - 1) * cell.width, top: cursorY * cell.height };
}

function drawnSize({ element }: Terminal) {
  const screen = element?.querySelector('.xterm-screen');
  return { width: screen?.clientWidth ?? 0, height: screen?.clientHeight ?? 0 };
}
