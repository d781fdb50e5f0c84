import { describe, expect, it } from 'vitest';
import { fill } from '../../../apps/web/i18n/languages.ts';
import { withCharacters } from '../../../apps/web/lib/copied-names.ts';
import {
  isPlainName,
  type NamePiece,
  piecesOfLines,
  piecesOfName,
  piecesOfSaid,
  shownName,
} from '../../../apps/web/lib/hidden-characters.ts';

const hiddenOf = (pieces: readonly NamePiece[]) =>
  pieces.flatMap(({ text, is_hidden }) => (is_hidden ? [text] : []));

describe('A name with characters that hide or reorder text', () => {
  it.each([
    ['evil\u202egpj.exe', 'evil⟨U+202E⟩gpj.exe'],
    ['a\u200bb', 'a⟨U+200B⟩b'],
    ['\u2066x\u2069', '⟨U+2066⟩x⟨U+2069⟩'],
    ['soft\u00adhyphen\ufeff', 'soft⟨U+00AD⟩hyphen⟨U+FEFF⟩'],
    ['two\nlines\x1b', 'two⟨U+000A⟩lines⟨U+001B⟩'],
    ['\u{e0041}tag', '⟨U+E0041⟩tag'],
    ['filler\u3164', 'filler⟨U+3164⟩'],
    ['half\ud800', 'half⟨U+D800⟩'],
    ['lines\u2028', 'lines⟨U+2028⟩'],
    ['joined\u200dletters', 'joined⟨U+200D⟩letters'],
  ])('%j shows their code points', (name, shown) => {
    expect(shownName(name)).toBe(shown);
    expect(fill('Delete {name}?', { name: name.replace('\n', '') })).toBe(
      `Delete ${shown.replace('⟨U+000A⟩', '')}?`,
    );
  });

  it.each(['plain.txt', 'ümlaut', '日本語', '👩‍💻.png', '❤️', 'क्‍ष', 'نامه‌ای', 'שלום.txt', ' spaces '])(
    '%j has none, and stays as it is',
    (name) => {
      expect(shownName(name)).toBe(name);
    },
  );

  it('is isolated where it runs from right to left', () => {
    expect(['שלום.txt', 'نامه', 'plain'].map(isPlainName)).toEqual([false, false, true]);
  });

  it('is drawn in pieces, of which the hidden ones are marked', () => {
    expect(piecesOfName('a\u202eb')).toEqual([
      { text: 'a', is_hidden: false },
      { text: '⟨U+202E⟩', is_hidden: true },
      { text: 'b', is_hidden: false },
    ]);
  });

  it('is drawn over several lines, whose ends are not hidden', () => {
    const pieces = piecesOfLines('one\n\ttwo\u202e');
    expect(pieces.map(({ text }) => text).join('')).toBe('one\n\ttwo⟨U+202E⟩');
    expect(hiddenOf(pieces)).toEqual(['⟨U+202E⟩']);
  });

  it('is drawn in a sentence that names it', () => {
    const said = fill('Delete {name}?', { name: 'a\u202eb' });
    expect(hiddenOf(piecesOfSaid(said))).toEqual(['⟨U+202E⟩']);
    expect(
      piecesOfSaid(said)
        .map(({ text }) => text)
        .join(''),
    ).toBe(said);
  });

  it('is copied as it is, without what was not selected', () => {
    expect(withCharacters('a⟨U+202E⟩b\n⟨U+E0041⟩', ['⟨U+202E⟩', '⟨U+E0041⟩'])).toBe('a\u202eb\n\u{e0041}');
    expect(withCharacters('a⟨U+20', ['⟨U+20'])).toBe('a⟨U+20');
  });

  it('is no number beyond the last character', () => {
    expect(hiddenOf(piecesOfSaid('a⟨U+FFFFFF⟩b⟨U+110000⟩c⟨U+10FFFF⟩'))).toEqual(['⟨U+10FFFF⟩']);
    expect(withCharacters('a⟨U+FFFFFF⟩b', ['⟨U+FFFFFF⟩'])).toBe('a⟨U+FFFFFF⟩b');
  });
});
