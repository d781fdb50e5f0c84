import type { Terminal } from '@xterm/xterm';

/** A letter whose vowels and other marks have cells of their own, so that fonts can draw them together. */
const SYLLABLES = /\P{M}\p{Mn}*[\p{Mc}\u0e33\u0eb3][\p{M}\u0e33\u0eb3]*/gu;

/** From the first spacing mark on, draws such a syllable as one. Without any, rows need not be searched. */
export function drawsSyllables(terminal: Pick<Terminal, 'registerCharacterJoiner'>): () => void {
  let is_registered = false;
  return () => {
    if (is_registered) return;
    is_registered = true;
    terminal.registerCharacterJoiner(syllablesIn);
  };
}

/** Where the syllables of a text begin and end. */
export function syllablesIn(text: string): [number, number][] {
  return [...text.matchAll(SYLLABLES)].map(({ 0: found, index }) => [index, index + found.length]);
}
