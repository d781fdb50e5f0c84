import { createEffect } from 'solid-js';
import { createStore } from 'solid-js/store';
import { type Language, languageOf } from '../i18n/languages.ts';
import { documentPlace, type PagePlace } from '../lib/root.ts';
import { applyTheme, keptPreferences, readPageLook, type THEMES, type Widths, widthIn } from './page-look.ts';

export const MIN_FONT_SIZE = 8;
export const MAX_FONT_SIZE = 32;
const DEFAULT_FONT_SIZE = 14;
export const FONT_SIZES = Array.from(
  { length: MAX_FONT_SIZE - MIN_FONT_SIZE + 1 },
  (_, at) => MIN_FONT_SIZE + at,
);
/** Of the font's own height. */
export const LINE_HEIGHTS = [1, 1.1, 1.2, 1.35, 1.5] as const;
const MAX_FAMILY = 100;
/** `page` follows the page's theme; the others are well-known color schemes. */
export const PALETTES = [
  'page',
  'solarized_dark',
  'solarized_light',
  'gruvbox_dark',
  'nord',
  'dracula',
  'tango_dark',
] as const;
export const CURSOR_STYLES = ['block', 'bar', 'underline'] as const;
export const SCROLLBACK_ROWS = [1000, 10_000, 50_000] as const;
const DEFAULT_SCROLLBACK_ROWS = 10_000;
export const BELLS = ['visual', 'sound', 'both', 'none'] as const;
export const RIGHT_CLICKS = ['menu', 'paste'] as const;
/** What the Backspace key sends. */
export const BACKSPACES = ['^?', '^H'] as const;
/** Whether programs in a terminal may access the clipboard. */
export const CLIPBOARD_RULES = ['ask', 'allow', 'deny'] as const;

/** What programs in a terminal out of sight can do with the notifications that they send. */
export const PROGRAM_NOTIFICATIONS = ['mark', 'notify', 'none'] as const;

export const DRAWER_PX = { least: 300, most: 800, usual: 400 } as const satisfies Widths;

export interface PreferenceValues {
  readonly theme: (typeof THEMES)[number];
  readonly language: Language;
  /** A font of this computer for terminals; empty for the bundled one. */
  readonly font_family: string;
  readonly font_size: number;
  readonly line_height: (typeof LINE_HEIGHTS)[number];
  /** Draws signs such as `->` in terminals as one. */
  readonly ligatures: boolean;
  /** `dom` renders rows as DOM text, which tests and browser extensions can read. */
  readonly renderer: 'auto' | 'dom';
  readonly copy_on_select: boolean;
  readonly confirm_paste: boolean;
  readonly palette: (typeof PALETTES)[number];
  readonly cursor_style: (typeof CURSOR_STYLES)[number];
  readonly cursor_blink: boolean;
  readonly scrollback_rows: number;
  readonly bell: (typeof BELLS)[number];
  readonly right_click: (typeof RIGHT_CLICKS)[number];
  readonly backspace: (typeof BACKSPACES)[number];
  readonly clipboard: (typeof CLIPBOARD_RULES)[number];
  readonly program_notifications: (typeof PROGRAM_NOTIFICATIONS)[number];
  /** Notifies when the bell rings in a terminal out of sight. */
  readonly notify_bell: boolean;
  /** Notifies when transfers end while the page is out of sight. */
  readonly notify_transfers: boolean;
  readonly screen_reader: boolean;
  readonly hidden_files: boolean;
  readonly rail_open: boolean;
  readonly rail_px: number;
  /** The details beside a table. */
  readonly drawer_px: number;
}

/** Terminal preferences whose text keys are their name plus the value. */
export const CHOICES = [
  { name: 'palette', values: PALETTES },
  { name: 'cursor_style', values: CURSOR_STYLES },
  { name: 'bell', values: BELLS },
  { name: 'right_click', values: RIGHT_CLICKS },
  { name: 'backspace', values: BACKSPACES },
  { name: 'program_notifications', values: PROGRAM_NOTIFICATIONS },
] as const satisfies readonly { name: keyof PreferenceValues; values: readonly string[] }[];
export type ChoiceName = (typeof CHOICES)[number]['name'];
/** Terminal preferences that are on or off. */
export const TOGGLES = [
  'ligatures',
  'cursor_blink',
  'copy_on_select',
  'confirm_paste',
  'notify_bell',
  'notify_transfers',
  'screen_reader',
] as const;
export type ToggleName = (typeof TOGGLES)[number];

export interface Preferences {
  readonly values: PreferenceValues;
  set<K extends keyof PreferenceValues>(name: K, value: PreferenceValues[K]): void;
  zoom(step: 1 | -1 | 0): void;
}

export type RendererChoice = PreferenceValues['renderer'];

/** `given` overrides what the browser has stored. */
export function createPreferences(
  { themed }: PagePlace = documentPlace(),
  given: Partial<PreferenceValues> = {},
): Preferences {
  const place = keptPreferences();
  const [values, update] = createStore<PreferenceValues>({
    ...readPreferences(place.read(), navigator.languages),
    ...given,
  });
  createEffect(() => place.write({ ...values }));
  createEffect(() => applyTheme(themed, values.theme));
  createEffect(() => {
    themed.lang = values.language;
  });
  return {
    values,
    set: (name, value) => update({ [name]: value }),
    zoom: (step) => update({ font_size: zoomed(values.font_size, step) }),
  };
}

/** Reads stored preferences field by field; an unknown value falls back to its default. */
export function readPreferences(kept: unknown, languages: readonly string[]): PreferenceValues {
  const value: Readonly<Record<string, unknown>> =
    typeof kept === 'object' && kept !== null ? { ...kept } : {};
  const size = value['font_size'];
  const family = value['font_family'];
  return {
    ...readPageLook(value),
    language: languageOf([value['language'], ...languages]),
    font_family: typeof family === 'string' ? family.slice(0, MAX_FAMILY) : '',
    font_size: typeof size === 'number' ? clampSize(size) : DEFAULT_FONT_SIZE,
    renderer: value['renderer'] === 'dom' ? 'dom' : 'auto',
    copy_on_select: value['copy_on_select'] !== false,
    confirm_paste: value['confirm_paste'] !== false,
    ...readTerminalPreferences(value),
    hidden_files: value['hidden_files'] === true,
    drawer_px: widthIn(DRAWER_PX, value['drawer_px']),
  };
}

function readTerminalPreferences(value: Readonly<Record<string, unknown>>) {
  return {
    line_height: oneOf(LINE_HEIGHTS, value['line_height'], 1),
    ligatures: value['ligatures'] === true,
    palette: oneOf(PALETTES, value['palette'], 'page'),
    cursor_style: oneOf(CURSOR_STYLES, value['cursor_style'], 'block'),
    cursor_blink: value['cursor_blink'] !== false,
    scrollback_rows: oneOf<number>(SCROLLBACK_ROWS, value['scrollback_rows'], DEFAULT_SCROLLBACK_ROWS),
    bell: oneOf(BELLS, value['bell'], 'visual'),
    right_click: oneOf(RIGHT_CLICKS, value['right_click'], 'menu'),
    backspace: oneOf(BACKSPACES, value['backspace'], '^?'),
    clipboard: oneOf(CLIPBOARD_RULES, value['clipboard'], 'ask'),
    program_notifications: oneOf(PROGRAM_NOTIFICATIONS, value['program_notifications'], 'mark'),
    notify_bell: value['notify_bell'] === true,
    notify_transfers: value['notify_transfers'] === true,
    screen_reader: value['screen_reader'] === true,
  };
}

function oneOf<T>(known: readonly T[], value: unknown, otherwise: T): T {
  return known.find((one) => one === value) ?? otherwise;
}

export function zoomed(size: number, step: 1 | -1 | 0): number {
  return step === 0 ? DEFAULT_FONT_SIZE : clampSize(size + step);
}

function clampSize(size: number): number {
  return Math.min(MAX_FONT_SIZE, Math.max(MIN_FONT_SIZE, Math.round(size)));
}
