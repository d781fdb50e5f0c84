import { FitAddon } from '@xterm/addon-fit';
import type { Terminal } from '@xterm/xterm';
import type { TerminalSize } from '#client/terminal/target.ts';
import { isSmall, shrunkFont, slidTo } from './fixed-fit.ts';

const FIT_DELAY_MS = 80; // one resize per window drag
const SCROLL_BAR_PX = 14; // the terminal's own scroll bar, overlaid on its right edge
const FONT_TRIES = 20; // cells grow in steps, so the computed size may be slightly too wide
const CELLS_AHEAD = 4; // keeps the next typed character visible

export interface Fitting {
  now(): void;
  /** Another member sets the size: the font shrinks until it fits. */
  fix(size: TerminalSize): void;
  /** Keeps this size, at which output was written, until it is released. */
  hold(size: TerminalSize): void;
  release(): void;
  isHeld(): boolean;
  /** If a fixed size would make the font too small, keeps the user's font size and lets the pane scroll. */
  setReadable(wanted: boolean): void;
  setFontSize(size: number): void;
  /** Undefined if it was never shown. */
  size(): TerminalSize | undefined;
  dispose(): void;
}

/** Keeps the terminal as large as its element, and reports when a fixed size makes the font too small. */
export function createFitting(
  terminal: Terminal,
  element: HTMLElement,
  onSmall: (is_small: boolean) => void,
): Fitting {
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  let font_size = terminal.options.fontSize ?? 0;
  let fixed: TerminalSize | undefined;
  let is_held = false;
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
    if (is_held) return;
    if (element.clientWidth === 0 || element.clientHeight === 0) return; // a hidden tab has no size
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
      terminal.resize(size.cols, size.rows); // even while hidden: the next screen has this size
      now();
    },
    hold({ cols, rows }) {
      is_held = true;
      terminal.resize(cols, rows);
    },
    release() {
      is_held = false;
      now();
    },
    isHeld: () => is_held,
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

/** Applies the font size at which all columns and rows are visible. */
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

/** Scrolls as little as needed if the terminal is larger than its element. */
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

/** Until the cursor moves, xterm leaves its text area where the larger font had it, and the pane would scroll that far. */
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
