/** A text prepared for matching: lower case, without accents. */
export interface Folded {
  readonly original: string;
  readonly text: string;
  /** The index in the original of each character. */
  readonly places: readonly number[];
  /** Whether a word of the original starts at this character. */
  readonly starts: readonly boolean[];
}

type Kind = 'skipped' | 'mark' | 'digit' | 'upper' | 'lower';

const ASCII = Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)));

/** Without the separators that people leave out or mistake: `web12` is `web-12`. */
export function foldName(text: string): Folded {
  return fold(text, true);
}

/** Keeps every separator: in an address each dot counts. */
export function foldText(text: string): Folded {
  return fold(text, false);
}

function fold(original: string, skips: boolean): Folded {
  const places: number[] = [];
  const starts: boolean[] = [];
  let text = '';
  let at = 0;
  let before: Kind = 'mark';
  for (const character of original) {
    const kind = ASCII[character.charCodeAt(0)] ?? kindOf(character);
    const folded = skips && kind === 'skipped' ? '' : foldCharacter(character);
    for (let index = 0; index < folded.length; index += 1) {
      places.push(at);
      starts.push(index === 0 && isStart(before, kind));
    }
    text += folded;
    at += character.length;
    before = kind;
  }
  return { original, text, places, starts };
}

function foldCharacter(character: string): string {
  if (character <= '\x7f') return character.toLowerCase();
  return character.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

function kindOf(character: string): Kind {
  if (/[\s\-_."]/.test(character)) return 'skipped';
  if (/\p{N}/u.test(character)) return 'digit';
  if (/\p{Lu}/u.test(character)) return 'upper';
  return /[\p{L}\p{M}]/u.test(character) ? 'lower' : 'mark';
}

/** A word starts after a separator, where letters and digits meet, and at a capital in camel case. */
function isStart(before: Kind, kind: Kind): boolean {
  if (before === 'skipped' || before === 'mark') return true;
  if ((before === 'digit') !== (kind === 'digit')) return true;
  return kind === 'upper' && before !== 'upper';
}
