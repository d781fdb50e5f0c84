import { FitAddon } from '@xterm/addon-fit';
import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { WebglAddon } from '@xterm/addon-webgl';
import { type IDisposable, Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import type { TerminalSize } from '#client/terminal.ts';
import type { RendererChoice } from '../state/preferences.ts';
import { copyText } from './clipboard.ts';
import { NO_MODIFIERS, sequenceOf } from './keys.ts';
import { readTheme } from './theme.ts';
import { scrollByTouch } from './touch-scroll.ts';

const FONT = '"JetBrains Mono Variable", ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace';
const FONT_WAIT_MS = 3000; // a slow network shows the fallback font rather than nothing
const FIT_DELAY_MS = 80; // one resize for a drag of the window
const SCROLLBACK_ROWS = 10_000;

// Mouse, paste and cursor modes that a program had set which is gone.
const SOFT_RESET = '\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[!p\x1b[0m\x1b[?25h';

export interface PaneEvents {
  input(data: string | Uint8Array): void;
  resize(size: TerminalSize): void;
  paste(text: string): void;
  zoom(step: 1 | -1 | 0): void;
  copyOnSelect(): boolean;
  /** No shell takes the keys: Tab leaves, Enter opens again. */
  ended(): boolean;
  openAgain(): void;
}

export interface PaneOptions {
  readonly font_size: number;
  readonly renderer: RendererChoice;
  readonly label: string;
  readonly events: PaneEvents;
}

export interface Pane {
  size(): TerminalSize;
  applicationCursor(): boolean;
  write(bytes: Uint8Array, parsed: () => void): void;
  /** Below what was there; modes of the shell before are undone. */
  beginAnew(): void;
  paste(text: string): void;
  focus(): void;
  fit(): void;
  setFontSize(size: number): void;
  refreshTheme(): void;
  dispose(): void;
}

/** A terminal inside an element, once its font is there. */
export async function openPane(element: HTMLElement, options: PaneOptions): Promise<Pane> {
  await fontReady(options.font_size);
  const terminal = new Terminal({
    allowProposedApi: true,
    cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    fontFamily: FONT,
    fontSize: options.font_size,
    macOptionIsMeta: true,
    minimumContrastRatio: 4.5,
    scrollback: SCROLLBACK_ROWS,
    theme: readTheme(element),
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.loadAddon(new UnicodeGraphemesAddon());
  terminal.loadAddon(new WebLinksAddon(openLink));
  terminal.open(element);
  terminal.textarea?.setAttribute('aria-label', options.label);

  const fitting = fitOnResize(element, fit);
  if (options.renderer === 'auto') drawWithGpu(terminal, fitting.now);
  const listening = listen(terminal, element, options.events);
  const untouch = scrollByTouch(element, {
    row_px: () => (terminal.element?.querySelector('.xterm-screen')?.clientHeight ?? 0) / terminal.rows,
    scroll: (rows) => scrollRows(terminal, rows),
  });
  fitting.now();

  return {
    size: () => ({ cols: terminal.cols, rows: terminal.rows }),
    applicationCursor: () => terminal.modes.applicationCursorKeysMode,
    write: (bytes, parsed) => terminal.write(bytes, parsed),
    beginAnew: () => terminal.write(anew(terminal)),
    paste: (text) => terminal.paste(text),
    focus: () => terminal.focus(),
    fit: fitting.now,
    setFontSize(size) {
      terminal.options.fontSize = size;
      fitting.now();
    },
    refreshTheme() {
      terminal.options.theme = readTheme(element);
    },
    dispose() {
      untouch();
      fitting.dispose();
      listening.dispose();
      terminal.dispose();
    },
  };
}

/** A full-screen program has no scrollback: it gets arrows, as with a wheel. */
function scrollRows(terminal: Terminal, rows: number): void {
  if (terminal.buffer.active.type === 'normal') {
    terminal.scrollLines(rows);
    return;
  }
  const key = sequenceOf(rows < 0 ? 'up' : 'down', terminal.modes.applicationCursorKeysMode, NO_MODIFIERS);
  terminal.input(key.repeat(Math.abs(rows)));
}

/** Leaving an alternate screen that is not there would move the cursor. */
function anew({ buffer }: Terminal): string {
  const leave = buffer.active.type === 'alternate' ? '\x1b[?1049l' : '';
  return `${leave}${SOFT_RESET}${buffer.normal.cursorX > 0 ? '\r\n' : ''}`;
}

async function fontReady(size: number): Promise<void> {
  const late = new Promise((resolve) => setTimeout(resolve, FONT_WAIT_MS));
  const faces = ['400', '700'].map((weight) => document.fonts.load(`${weight} ${size}px ${FONT}`));
  await Promise.race([Promise.allSettled(faces), late]);
}

/** Without a GPU, or when it is taken away, the terminal draws itself into the page. */
function drawWithGpu(terminal: Terminal, refit: () => void): void {
  try {
    const webgl = new WebglAddon();
    webgl.onContextLoss(() => {
      webgl.dispose();
      refit(); // cells are not equally wide
    });
    terminal.loadAddon(webgl);
  } catch {
    // the built-in renderer stays
  }
}

function openLink(event: MouseEvent, uri: string): void {
  if (event.ctrlKey || event.metaKey) window.open(uri, '_blank', 'noopener,noreferrer');
}

function fitOnResize(element: HTMLElement, fit: FitAddon) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const now = () => {
    if (element.clientWidth > 0 && element.clientHeight > 0) fit.fit(); // a hidden tab measures nothing
  };
  const observer = new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(now, FIT_DELAY_MS);
  });
  observer.observe(element);
  return {
    now,
    dispose() {
      clearTimeout(timer);
      observer.disconnect();
    },
  };
}

function listen(terminal: Terminal, element: HTMLElement, events: PaneEvents): IDisposable {
  const onPaste = (event: ClipboardEvent) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    events.paste(event.clipboardData?.getData('text/plain') ?? '');
  };
  const onRelease = () => {
    if (events.copyOnSelect() && terminal.hasSelection()) void copyText(terminal.getSelection());
  };
  terminal.onData((data) => events.input(data));
  terminal.onBinary((data) => events.input(Uint8Array.from(data, (character) => character.charCodeAt(0))));
  terminal.onResize((size) => events.resize({ cols: size.cols, rows: size.rows }));
  terminal.attachCustomKeyEventHandler((event) => !takesKey(event, terminal, events));
  element.addEventListener('paste', onPaste, true);
  element.addEventListener('mouseup', onRelease);
  return {
    dispose() {
      element.removeEventListener('paste', onPaste, true);
      element.removeEventListener('mouseup', onRelease);
    },
  };
}

/** Keys of ours, which the shell must not see. */
function takesKey(event: KeyboardEvent, terminal: Terminal, events: PaneEvents): boolean {
  if (events.ended() && (event.key === 'Tab' || event.key === 'Enter')) return takesEndedKey(event, events);
  if (event.type !== 'keydown' || !(event.ctrlKey || event.metaKey) || event.altKey) return false;
  if (event.shiftKey && event.code === 'KeyC') return copySelection(event, terminal);
  if (event.shiftKey && event.code === 'KeyV') return true; // the browser pastes
  const step = zoomStep(event.key);
  if (step === undefined) return false;
  event.preventDefault();
  events.zoom(step);
  return true;
}

/** Tab is left to the browser. */
function takesEndedKey(event: KeyboardEvent, events: PaneEvents): true {
  if (event.type !== 'keydown' || event.key === 'Tab') return true;
  event.preventDefault();
  if (!event.repeat) events.openAgain();
  return true;
}

function copySelection(event: KeyboardEvent, terminal: Terminal): boolean {
  event.preventDefault();
  if (terminal.hasSelection()) void copyText(terminal.getSelection());
  return true;
}

function zoomStep(key: string): 1 | -1 | 0 | undefined {
  if (key === '+' || key === '=') return 1;
  if (key === '-') return -1;
  return key === '0' ? 0 : undefined;
}
