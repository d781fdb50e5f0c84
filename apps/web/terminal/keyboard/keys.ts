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
] as const;
export type KeyBarKey = (typeof KEY_BAR_KEYS)[number];

const ARROWS: Readonly<Record<string, string>> = {
  up: 'A',
  down: 'B',
  right: 'C',
  left: 'D',
  end: 'F',
  home: 'H',
};
const PAGES: Readonly<Record<string, number>> = { page_up: 5, page_down: 6 };

/** What a key of the bar sends. Arrows depend on the cursor mode of the remote program. */
export function sequenceOf(key: KeyBarKey, application_cursor: boolean, modifiers: Modifiers): string {
  const arrow = ARROWS[key];
  if (arrow) return arrowSequence(arrow, application_cursor, modifiers);
  const page = PAGES[key];
  if (page) return pageSequence(page, modifiers);
  if (key === 'esc') return '\x1b';
  if (key === 'tab') return '\t';
  return withModifiers(key, modifiers);
}

function modifierOf({ ctrl, alt }: Modifiers): number {
  return 1 + (alt ? 2 : 0) + (ctrl ? 4 : 0);
}

function pageSequence(page: number, modifiers: Modifiers): string {
  const modifier = modifierOf(modifiers);
  return modifier > 1 ? `\x1b[${page};${modifier}~` : `\x1b[${page}~`;
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
