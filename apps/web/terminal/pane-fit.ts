import { FitAddon } from '@xterm/addon-fit';
import type { Terminal } from '@xterm/xterm';
import type { TerminalSize } from '#client/terminal-aim.ts';

const FIT_DELAY_MS = 80; // one resize for a drag of the window
const SMALLEST_FONT = 6;

export interface Fitting {
  now(): void;
  /** Somebody else decides on the size: the font shrinks until it fits, then the pane scrolls. */
  fix(size: TerminalSize): void;
  setFontSize(size: number): void;
  /** Undefined: it was never shown. */
  size(): TerminalSize | undefined;
  dispose(): void;
}

/** Keeps the terminal as large as its element. */
export function createFitting(terminal: Terminal, element: HTMLElement): Fitting {
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  let font_size = terminal.options.fontSize ?? SMALLEST_FONT;
  let fixed: TerminalSize | undefined;
  let is_fitted = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function shrink({ cols, rows }: TerminalSize): void {
    terminal.options.fontSize = font_size;
    const room = fit.proposeDimensions();
    const ratio = room ? Math.min(1, room.cols / cols, room.rows / rows) : 1;
    const shrunk = Math.floor(font_size * ratio * 2) / 2;
    if (shrunk < font_size) terminal.options.fontSize = Math.max(SMALLEST_FONT, shrunk);
    terminal.resize(cols, rows);
  }

  function now(): void {
    if (element.clientWidth === 0 || element.clientHeight === 0) return; // a hidden tab measures nothing
    if (fixed) shrink(fixed);
    else fit.fit();
    is_fitted = true;
  }

  const observer = new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(now, FIT_DELAY_MS);
  });
  observer.observe(element);
  return {
    now,
    fix(size) {
      fixed = size;
      element.classList.add('terminal-host-fixed');
      terminal.resize(size.cols, size.rows); // also while it is hidden: the screen that follows is of this size
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
