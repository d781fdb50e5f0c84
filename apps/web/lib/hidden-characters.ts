/** Controls, direction marks, characters without a glyph, and halves of characters. */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;
/** Scripts whose spelling needs joiners. */
const JOINING =
  '[\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Mong}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}\\p{scx=Khmr}\\p{scx=Mymr}]';
/** Joiners and selectors that belong to an emoji or to the spelling of a word. */
const WANTED = new RegExp(
  `(?<=\\p{Emoji})[\\ufe0e\\ufe0f]|(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})|(?<=${JOINING})[\\u200c\\u200d](?=${JOINING})`,
  'gu',
);
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

export interface NamePiece {
  readonly text: string;
  /** A character that a reader cannot see, by its code point. */
  readonly is_hidden: boolean;
}

/** A name of somebody else in pieces: what a reader sees, and the code points of what a reader does not. */
export function piecesOfName(name: string): readonly NamePiece[] {
  const wanted = new Set([...name.matchAll(WANTED)].map(({ index }) => index));
  const pieces: NamePiece[] = [];
  let at = 0;
  for (const { 0: character, index } of name.matchAll(HIDDEN)) {
    if (wanted.has(index)) continue;
    if (index > at) pieces.push({ text: name.slice(at, index), is_hidden: false });
    pieces.push({ text: codePointOf(character), is_hidden: true });
    at = index + character.length;
  }
  return at < name.length ? [...pieces, { text: name.slice(at), is_hidden: false }] : pieces;
}

/** Splits a text of several lines. Line feeds and tabs do not count as hidden. */
export function piecesOfLines(text: string): readonly NamePiece[] {
  return text.split(/([\n\t])/).flatMap((part) => (isBreak(part) ? BREAKS[part] : piecesOfName(part)));
}

const BREAKS = {
  '\n': [{ text: '\n', is_hidden: false }],
  '\t': [{ text: '\t', is_hidden: false }],
} as const;

function isBreak(part: string): part is keyof typeof BREAKS {
  return part === '\n' || part === '\t';
}

const SPELLED = /(⟨U\+(?:10[0-9A-F]{4}|[0-9A-F]{4,5})⟩)/;

/** Splits a sentence whose names went through `shownText`. */
export function piecesOfSaid(text: string): readonly NamePiece[] {
  return text
    .split(SPELLED)
    .filter((part) => part !== '')
    .map((part) => ({ text: part, is_hidden: SPELLED.test(part) }));
}

/** Returns the character of a spelled code point such as `⟨U+202E⟩`, and any other text unchanged. */
export function characterOf(spelled: string): string {
  if (!SPELLED.test(spelled)) return spelled;
  return String.fromCodePoint(Number.parseInt(spelled.slice('⟨U+'.length, -1), 16));
}

/** Whether it can be drawn as it is, within other text. */
export function isPlainName(name: string): boolean {
  return name.search(HIDDEN) < 0 && !RIGHT_TO_LEFT.test(name);
}

/** The same as text, where no markup is possible: `evil⟨U+202E⟩gpj.exe`. */
export function shownName(name: string): string {
  if (name.search(HIDDEN) < 0) return name;
  return piecesOfName(name)
    .map(({ text }) => text)
    .join('');
}

/** A text that may have lines, with names in it. */
export function shownText(text: string): string {
  return isPlainName(text)
    ? text
    : piecesOfLines(text)
        .map((piece) => piece.text)
        .join('');
}

function codePointOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
