import { isZeroWidth } from '#client/terminal/cells.mjs';
import { nextState, type SequenceState } from '#client/terminal/sequences.mjs';
import { createTitles } from '#client/terminal/titles.mjs';

// The player's terminal gives a mark without width a cell of its own. A letter with such marks is replaced by one private
// character, and put back where it is shown.
const FIRST = 0x10_0000; // fonts with icons use the plane below
const MOST_CLUSTERS = 0xfffd;
const MAX_MARKS = 64;
const PRIVATE = /[\u{100000}-\u{10fffd}]/gu;

const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|^[\d#*]\ufe0f/u;
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\uff01-\uff60]/u;

export interface Clusters {
  /** Output in which each letter takes its cells together with its marks. */
  packed(text: string): string;
  /** What was packed. */
  unpacked(text: string): string;
  /** The terminal is empty again. */
  reset(): void;
}

export function createClusters(): Clusters {
  const { toPrivate, unpacked } = createPrivateCharacters();
  const titles = createTitles();
  let state: SequenceState = 'text';
  let letter = ''; // the last one of the previous output, with its marks

  const shown = (cluster: string) => shownOf(cluster, toPrivate);

  /** Further marks of a letter that has been written. */
  function rewritten(before: string): string {
    const present = shown(letter);
    if (present === shown(before)) return '';
    if (EMOJI.test(letter)) return letter.slice(before.length);
    return (WIDE.test(letter) ? '\b\b' : '\b') + present;
  }

  /** Whether the character is a mark, which takes no cell. */
  function takeMark(character: string, code: number, is_text: boolean): boolean {
    if (!is_text || !isZeroWidth(code)) return false;
    if (letter !== '' && letter.length < MAX_MARKS) letter += character;
    return true;
  }

  return {
    unpacked,
    packed(output) {
      const text = titles.inText(output);
      const before = letter;
      let out = '';
      let is_written = true;
      const write = () => {
        out += is_written ? rewritten(before) : shown(letter);
        is_written = false;
      };
      for (const character of text) {
        const code = character.codePointAt(0) ?? 0;
        const is_text = state === 'text' && code >= 0x20 && code !== 0x7f;
        if (takeMark(character, code, is_text)) continue;
        write();
        letter = is_text ? character : '';
        if (!is_text) out += character;
        state = nextState(state, code);
      }
      write();
      return out;
    },
    reset() {
      state = 'text';
      letter = '';
    },
  };
}

function createPrivateCharacters() {
  const known = new Map<string, string>();
  const clusters: string[] = [];
  return {
    toPrivate(cluster: string): string {
      const same = known.get(cluster);
      if (same !== undefined) return same;
      if (clusters.length >= MOST_CLUSTERS) return baseOf(cluster);
      const character = String.fromCodePoint(FIRST + clusters.push(cluster) - 1);
      known.set(cluster, character);
      return character;
    },
    unpacked: (text: string) =>
      text.replace(PRIVATE, (character) => clusters[(character.codePointAt(0) ?? 0) - FIRST] ?? character),
  };
}

function shownOf(cluster: string, toPrivate: (cluster: string) => string): string {
  if (cluster.length <= 1 || EMOJI.test(cluster)) return cluster;
  const composed = cluster.normalize('NFC');
  const base = baseOf(composed);
  return composed === base || WIDE.test(base) ? base : toPrivate(composed);
}

function baseOf(cluster: string): string {
  return String.fromCodePoint(cluster.codePointAt(0) ?? 0);
}
