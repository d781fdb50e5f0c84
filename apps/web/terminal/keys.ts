export interface Modifiers {
  readonly ctrl: boolean;
  readonly alt: boolean;
}

export const KEY_BAR_KEYS = ['esc', 'tab', 'up', 'down', 'left', 'right', '|', '~', '/', '-'] as const;
export type KeyBarKey = (typeof KEY_BAR_KEYS)[number];

const ARROWS: Readonly<Record<string, string>> = { up: 'A', down: 'B', right: 'C', left: 'D' };

/** What a key of the bar sends; arrows depend on the mode that the remote program chose. */
export function sequenceOf(key: KeyBarKey, application_cursor: boolean, modifiers: Modifiers): string {
  const arrow = ARROWS[key];
  if (arrow) return arrowSequence(arrow, application_cursor, modifiers);
  if (key === 'esc') return '\x1b';
  if (key === 'tab') return '\t';
  return withModifiers(key, modifiers);
}

function arrowSequence(arrow: string, application_cursor: boolean, { ctrl, alt }: Modifiers): string {
  const modifier = 1 + (alt ? 2 : 0) + (ctrl ? 4 : 0);
  if (modifier > 1) return `\x1b[1;${modifier}${arrow}`;
  return application_cursor ? `\x1bO${arrow}` : `\x1b[${arrow}`;
}

/** One typed character with the keys that the bar holds down. */
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
