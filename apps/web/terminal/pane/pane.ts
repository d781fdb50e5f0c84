import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import './palettes.css';
import { boundSequences } from '#client/terminal/bounds.mjs';
import { measureCells } from '#client/terminal/cells.mjs';
import type { TerminalSize } from '#client/terminal/target.ts';
import { takeTitles } from '#client/terminal/titles.mjs';
import type { PanePlace } from '../../app/pane-place.ts';
import type { RendererChoice } from '../../app/preferences.ts';
import { handleClipboardSequences } from '../clipboard/sequences.ts';
import { NO_MODIFIERS, sequenceOf } from '../keyboard/keys.ts';
import type { Sink } from '../output/queue.ts';
import { createPaneSearch, type PaneSearch } from '../search/pane-search.ts';
import { giveWay } from './costly-sequences.ts';
import { followDirectory } from './directory.ts';
import type { PaneEvents } from './events.ts';
import { createFitting, type Fitting } from './fit.ts';
import { fontReady } from './font.ts';
import { drawsWithGpu, loadGpu } from './gpu.ts';
import { writesWithImages } from './images.ts';
import { listen } from './input.ts';
import { followLinks } from './links.ts';
import { createLook, optionsOf, type PaneLook } from './look.ts';
import { type Prompting, whenPrompting } from './prompting.ts';
import { ignoreStatusQueries } from './queries.ts';
import { watchDrags } from './selection-hint.ts';
import { drawsSyllables } from './syllables.ts';
import { readTheme } from './theme.ts';
import { scrollByTouch } from './touch-scroll.ts';

// Resets mouse, paste and cursor modes left by a program that has ended.
const SOFT_RESET = '\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[!p\x1b[0m\x1b[?25h';

export interface PaneOptions {
  readonly look: PaneLook;
  readonly renderer: RendererChoice;
  readonly label: string;
  /** Only the owner's terminal answers programs that ask about it. */
  readonly answers: boolean;
  readonly events: PaneEvents;
  /** For a pane in another site's page. */
  readonly place?: PanePlace;
}

export interface Pane extends Sink {
  readonly search: PaneSearch;
  /** Undefined if it was never shown. */
  size(): TerminalSize | undefined;
  applicationCursor(): boolean;
  /** Starts a new shell's output below the old one and resets the old modes. */
  beginAnew(): void;
  paste(text: string): void;
  selection(): string;
  /** The text of the visible lines. */
  screen(): string;
  /** All output that is still there. */
  output(): Promise<string>;
  /** The selection with its colors. */
  html(): Promise<string>;
  /** Calls back once a shell seems to prompt. The result cancels. */
  whenPrompting(call: () => void, options: Prompting): () => void;
  selectAll(): void;
  /** Clears everything but the cursor's line. */
  clear(): void;
  focus(): void;
  fit(): void;
  fix: Fitting['fix'];
  hold: Fitting['hold'];
  release: Fitting['release'];
  setReadable: Fitting['setReadable'];
  setLook(look: PaneLook): void;
  /** The accessible name of its input. */
  setLabel(label: string): void;
  refreshTheme(): void;
  dispose(): void;
}

/** Opens a terminal inside an element once its font has loaded. */
export async function openPane(element: HTMLElement, options: PaneOptions): Promise<Pane> {
  const { look, events, renderer, label } = options;
  const [gpu] = await Promise.all([drawsWithGpu(renderer) ? loadGpu() : undefined, fontReady(look)]);
  const terminal = createTerminal(element, look, options.place);
  terminal.textarea?.setAttribute('aria-label', label);
  const shown = createLook(terminal, look);
  const fitting = createFitting(terminal, element, events.small);
  gpu?.(terminal, fitting.now);
  const resize = (size: TerminalSize) => void (fitting.isHeld() || events.resize(size));
  const listening = listen(terminal, element, { ...events, resize });
  const unwatch = watchDrags(terminal, element, events.draggedInProgram);
  handleClipboardSequences(terminal, events);
  followLinks(terminal, element, events.linkHint);
  const directory = followDirectory(terminal, events.located);
  if (!options.answers) ignoreStatusQueries(terminal);
  const untouch = scrollByTouch(element, {
    row_px: () => (terminal.element?.querySelector('.xterm-screen')?.clientHeight ?? 0) / terminal.rows,
    scroll: (rows) => scrollRows(terminal, rows),
  });
  fitting.now();

  return {
    ...verbsOf(terminal, directory.renew, shown.see),
    search: createPaneSearch(terminal, events.found),
    size: fitting.size,
    fit: fitting.now,
    fix: fitting.fix,
    hold: fitting.hold,
    release: fitting.release,
    setReadable: fitting.setReadable,
    setLabel: (next) => void terminal.textarea?.setAttribute('aria-label', next),
    setLook(present) {
      shown.set(present);
      fitting.setFontSize(present.font_size);
    },
    refreshTheme() {
      terminal.options.theme = readTheme(element);
    },
    dispose() {
      shown.dispose();
      untouch();
      unwatch();
      fitting.dispose();
      listening.dispose();
      terminal.dispose();
    },
  };
}

function createTerminal(element: HTMLElement, look: PaneLook, place?: PanePlace): Terminal {
  const terminal = new Terminal({
    ...optionsOf(look),
    allowProposedApi: true,
    fontSize: look.font_size,
    macOptionIsMeta: true,
    macOptionClickForcesSelection: true, // as Shift does elsewhere
    minimumContrastRatio: 4.5,
    theme: readTheme(element),
    ...(place ? { documentOverride: place.document } : {}),
  });
  measureCells(terminal, new UnicodeGraphemesAddon(), drawsSyllables(terminal));
  giveWay(terminal);
  takeTitles(terminal);
  boundSequences(terminal); // registered last, so it comes first
  if (place) place.open(terminal, () => terminal.open(element));
  else terminal.open(element);
  return terminal;
}

function verbsOf(terminal: Terminal, onImages: () => void, see: (bytes: Uint8Array) => void) {
  const write = writesWithImages(terminal, onImages);
  return {
    write(bytes: Uint8Array, parsed: () => void) {
      see(bytes);
      write(bytes, parsed);
    },
    isAlternate: () => terminal.buffer.active.type === 'alternate',
    applicationCursor: () => terminal.modes.applicationCursorKeysMode,
    beginAnew: () => terminal.write(anew(terminal)),
    paste: (text: string) => terminal.paste(text),
    selection: () => terminal.getSelection(),
    screen: () => screenOf(terminal),
    output: async () => (await import('./exports.ts')).outputOf(terminal),
    html: async () => (await import('./exports.ts')).htmlOf(terminal),
    whenPrompting: (call: () => void, options: Prompting) => whenPrompting(terminal, call, options),
    selectAll: () => terminal.selectAll(),
    clear: () => terminal.clear(),
    focus: () => terminal.focus(),
  };
}

/** The visible lines, without the blank ones below; a line that wraps is one. */
function screenOf({ buffer: { active }, rows }: Terminal): string {
  let text = '';
  for (let row = 0; row < rows; row += 1) {
    const line = active.getLine(active.viewportY + row);
    if (row > 0 && !line?.isWrapped) text += '\n';
    text += line?.translateToString(true) ?? '';
  }
  return text.trimEnd();
}

/** A full-screen program has no scrollback: it gets arrow keys, as with a mouse wheel. */
function scrollRows(terminal: Terminal, rows: number): void {
  if (terminal.buffer.active.type === 'normal') {
    terminal.scrollLines(rows);
    return;
  }
  const key = sequenceOf(rows < 0 ? 'up' : 'down', terminal.modes.applicationCursorKeysMode, NO_MODIFIERS);
  terminal.input(key.repeat(Math.abs(rows)));
}

/** Leaving an alternate screen that is not active would move the cursor. */
function anew({ buffer }: Terminal): string {
  const leave = buffer.active.type === 'alternate' ? '\x1b[?1049l' : '';
  return `${leave}${SOFT_RESET}${buffer.normal.cursorX > 0 ? '\r\n' : ''}`;
}
