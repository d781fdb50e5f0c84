import type { ITerminalOptions, Terminal } from '@xterm/xterm';
import type { PreferenceValues } from '../../app/preferences.ts';
import { fontFamily } from './font.ts';
import { createIconScan, icons } from './icons.ts';
import { createLigatures } from './ligatures.ts';

export type PaneLook = Pick<
  PreferenceValues,
  | 'font_family'
  | 'font_size'
  | 'line_height'
  | 'ligatures'
  | 'cursor_style'
  | 'cursor_blink'
  | 'scrollback_rows'
  | 'screen_reader'
>;

/** Fonts that were built with the icons. */
const HAS_ICONS = /\bNerd Font|\bNF[MP]?\b/;

/** Everything but the font size, which may have to shrink. */
export function optionsOf(look: PaneLook) {
  const is_still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  return {
    fontFamily: fontFamily(look.font_family),
    lineHeight: look.line_height,
    cursorStyle: look.cursor_style,
    cursorBlink: look.cursor_blink && !is_still,
    scrollback: look.scrollback_rows,
    screenReaderMode: look.screen_reader,
  } satisfies ITerminalOptions;
}

interface Look {
  set(look: PaneLook): void;
  /** Loads the icons for the first one in the output. */
  see(bytes: Uint8Array): void;
  dispose(): void;
}

/** Keeps an open terminal's look. */
export function createLook(terminal: Terminal, first: PaneLook): Look {
  const setLigatures = createLigatures(terminal);
  const hasIcon = createIconScan();
  let look = first;
  let awaits_icon = true;
  let is_disposed = false;
  setLigatures(first.ligatures);

  async function showIcons(): Promise<void> {
    const are_loaded = await icons.load();
    // Another family makes xterm measure and draw all letters again.
    if (are_loaded && !is_disposed) terminal.options.fontFamily = fontFamily(look.font_family);
    awaits_icon = !are_loaded;
  }

  return {
    set(present) {
      look = present;
      Object.assign(terminal.options, optionsOf(present));
      setLigatures(present.ligatures);
    },
    see(bytes) {
      if (!awaits_icon || !hasIcon(bytes) || HAS_ICONS.test(look.font_family)) return;
      awaits_icon = false;
      void showIcons();
    },
    dispose() {
      is_disposed = true;
    },
  };
}
