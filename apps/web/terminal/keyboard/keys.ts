export interface Modifiers {
  readonly ctrl: boolean;
  readonly alt: boolean;
}

export const NO_MODIFIERS: Modifiers = { ctrl: false, alt: false };

export const KEY_BAR_KEYS = [
  'esc',
  'tab',
  'up',
  'down',
  'left',
  'right',
  '|',
  '~',
  '/',
  '-',
  'home',
  'end',
  'page_up',
  'page_down',
  'F1',
  'F2',
  'F3',
  'F4',
  'F5',
  'F6',
  'F7',
  'F8',
  'F9',
  'F10',
  'F11',
  'F12',
] as const;
export type KeyBarKey = (typeof KEY_BAR_KEYS)[number];

export function isBarKey(key: string): key is KeyBarKey {
  return (KEY_BAR_KEYS as readonly string[]).includes(key);
}

const ARROWS: Readonly<Record<string, string>> = {
  up: 'A',
  down: 'B',
  right: 'C',
  left: 'D',
  end: 'F',
  home: 'H',
};
/** Function keys as xterm sends them: `ESC O P` and so on, then `CSI 15 ~` and so on. */
const FIRST_FUNCTIONS: Readonly<Record<string, string>> = { F1: 'P', F2: 'Q', F3: 'R', F4: 'S' };
const NUMBERED: Readonly<Record<string, number>> = {
  page_up: 5,
  page_down: 6,
  ...{ F5: 15, F6: 17, F7: 18, F8: 19, F9: 20, F10: 21, F11: 23, F12: 24 },
};

/** What a key of the bar sends. Arrows depend on the cursor mode of the remote program. */
export function sequenceOf(key: KeyBarKey, application_cursor: boolean, modifiers: Modifiers): string {
  const arrow = ARROWS[key];
  if (arrow) return arrowSequence(arrow, application_cursor, modifiers);
  const first = FIRST_FUNCTIONS[key];
  if (first) return arrowSequence(first, true, modifiers);
  const number = NUMBERED[key];
  if (number) return numberedSequence(number, modifiers);
  if (key === 'esc') return '\x1b';
  if (key === 'tab') return '\t';
  return withModifiers(key, modifiers);
}

function modifierOf({ ctrl, alt }: Modifiers): number {
  return 1 + (alt ? 2 : 0) + (ctrl ? 4 : 0);
}

function numberedSequence(number: number, modifiers: Modifiers): string {
  const modifier = modifierOf(modifiers);
  return modifier > 1 ? `\x1b[${number};${modifier}~` : `\x1b[${number}~`;
}

function arrowSequence(arrow: string, application_cursor: boolean, modifiers: Modifiers): string {
  const modifier = modifierOf(modifiers);
  if (modifier > 1) return `\x1b[1;${modifier}${arrow}`;
  return application_cursor ? `\x1bO${arrow}` : `\x1b[${arrow}`;
}

/** One typed character combined with the held keys of the bar. */
export function withModifiers(typed: string, { ctrl, alt }: Modifiers): string {
  if ([...typed].length !== 1) return typed;
  const key = ctrl ? controlOf(typed) : typed;
  return alt ? `\x1b${key}` : key;
}

function controlOf(character: string): string {
  const code = character.toUpperCase().charCodeAt(0);
  if (character === ' ') return '\0';
  if (character === '?') return '\x7f';
  return code >= 64 && code <= 95 ? String.fromCharCode(code - 64) : character;
}

const DELETE = '\x7f'; // what terminals send for Backspace since the VT220
const BACKSPACE = '\b';

/** Old hosts take `^H` for Backspace. */
export function withBackspace(data: string, sends: '^?' | '^H'): string {
  const is_backspace = data === DELETE || data === `\x1b${DELETE}`;
  return sends === '^H' && is_backspace ? data.replace(DELETE, BACKSPACE) : data;
}
