import { isBarKey, NO_MODIFIERS, sequenceOf, withModifiers } from '../../terminal/keyboard/keys.ts';

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey' | 'metaKey' | 'shiftKey'> & {
  getModifierState?(name: string): boolean;
};

/** By the names that browsers give keys; arrows as in a new shell, which has set no modes. */
const KEYS: Readonly<Record<string, Parameters<typeof sequenceOf>[0]>> = {
  ...{ ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' },
  ...{ Home: 'home', End: 'end', PageUp: 'page_up', PageDown: 'page_down', Escape: 'esc' },
};
const OTHERS: Readonly<Record<string, string>> = {
  ...{ Enter: '\r', Backspace: '\x7f', Tab: '\t', Delete: '\x1b[3~', Insert: '\x1b[2~' },
};

/** What a key sends to a shell; undefined for text, which arrives as input, and for chords of the browser. */
export function typedKey(event: Key): string | undefined {
  const { key, ctrlKey: ctrl, altKey: alt, metaKey, shiftKey } = event;
  if (metaKey || event.getModifierState?.('AltGraph')) return undefined;
  if (key === 'Tab' && shiftKey) return '\x1b[Z';
  const other = OTHERS[key];
  if (other) return alt ? `\x1b${other}` : other;
  const named = KEYS[key] ?? (isBarKey(key) && key.length > 1 ? key : undefined);
  if (named) return sequenceOf(named, false, { ...NO_MODIFIERS, ctrl, alt });
  const is_chord = [...key].length === 1 && (ctrl || alt) && !(ctrl && shiftKey);
  return is_chord ? withModifiers(key, { ctrl, alt }) : undefined;
}
