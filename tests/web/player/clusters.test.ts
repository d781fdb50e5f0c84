import { describe, expect, it } from 'vitest';
import { createClusters } from '../../../apps/web/player/clusters.ts';

/** What the player's terminal is given, and what a person sees of it. */
function played(...outputs: string[]) {
  const { packed, unpacked } = createClusters();
  const given: string[] = [];
  for (const character of outputs.map(packed).join('')) {
    if (character === '\b') given.pop();
    else given.push(character);
  }
  return { cells: given.length, seen: unpacked(given.join('')) };
}

describe('A recording in the player', () => {
  it.each([
    ['हिन्दी', 5],
    ['ខ្មែរ', 4],
    ['น้ำ', 2],
    ['x\u0301y', 2],
    ['a\u200b\ufeff\u2060b', 2],
    ['e\u0301', 1],
  ])('shows %j in as many cells as the terminal did', (text, cells) => {
    expect(played(text).cells).toBe(cells);
    expect(played(text).seen.normalize('NFC')).toBe(text.normalize('NFC'));
    expect(played(...text)).toEqual(played(text));
  });

  it('drops a mark that has no letter, wherever an escape sequence comes', () => {
    const { packed } = createClusters();
    expect(packed('\x1b[31m\u0301a\x1b]0;t\u0301\x07\u0301\r\n\ufeffb')).toBe(
      '\x1b[31ma\x1b]0;t\u0301\x07\r\nb',
    );
    expect(packed('\x1b[')).toBe('\x1b[');
    expect(packed('31m\u0301c')).toBe('31mc');
  });

  it('leaves emoji, ideographs and the private characters of fonts as they are', () => {
    const { packed, unpacked } = createClusters();
    const text = '👨‍👩‍👧 ❤️ 漢字 \ue0b0 \u{f0001}';
    expect(packed(text)).toBe(text);
    expect(unpacked(text)).toBe(text);
    expect(packed('か\u3099 漢\u{e0100}')).toBe('が 漢');
  });
});
