import type { Section } from './manual/rendered.ts';

export interface Piece {
  readonly text: string;
  readonly is_match: boolean;
}

export interface Found {
  readonly path: string;
  readonly page: string;
  readonly heading: readonly Piece[];
  /** The text around the first match. */
  readonly excerpt: readonly Piece[];
}

export const MOST_FOUND = 30;
const BEFORE = 60; // characters of an excerpt before its match
const AFTER = 140;
const LONGEST_WORD = 40;
const SHORTEST_STEM = 4;
const PLACES = ['heading', 'page', 'text'] as const;
type Place = (typeof PLACES)[number];

/** Sections with every word, also as the start of a longer one: those with the words in the heading or side by side first. */
export function findSections(query: string, sections: readonly Section[]): Found[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  if (words.length === 0) return [];
  const stems = words.map(stemOf);
  const patterns = stems.map((stem) => starting(stem)); // letters, digits and underscores mean themselves in a pattern
  const phrase = starting(stems.join('\\w*[^\\p{L}\\p{N}]+'));
  const ranked = sections.flatMap((section) => {
    const rank = rankOf(section, patterns, phrase);
    return rank > 0 ? [{ section, rank }] : [];
  });
  ranked.sort((one, other) => other.rank - one.rank);
  return ranked.slice(0, MOST_FOUND).map(({ section }) => toFound(section, stems, phrase));
}

/** `hosts` finds `host` too. */
function stemOf(word: string): string {
  return word.length > SHORTEST_STEM ? word.replace(/s$/, '') : word;
}

const starting = (source: string, flags = 'iu') => new RegExp(`(?<![\\p{L}\\p{N}])${source}`, flags);

/** 0 unless every word is in the section. */
function rankOf(section: Section, patterns: readonly RegExp[], phrase: RegExp): number {
  const ranks = patterns.map((pattern) => weightOf(pattern, section, { heading: 8, page: 3, text: 1 }));
  if (ranks.includes(0)) return 0;
  const side_by_side = patterns.length > 1 ? weightOf(phrase, section, { heading: 10, page: 0, text: 4 }) : 0;
  return ranks.reduce((sum, rank) => sum + rank, side_by_side);
}

function weightOf(pattern: RegExp, section: Section, weights: Readonly<Record<Place, number>>): number {
  const found = PLACES.filter((place) => pattern.test(section[place]));
  return found.reduce((sum, place) => sum + weights[place], 0);
}

function toFound({ path, page, heading, text }: Section, stems: readonly string[], phrase: RegExp): Found {
  const any = `(?:${stems.join('|')})`;
  const first = phrase.exec(text) ?? starting(any).exec(text);
  const from = startOfWord(text, Math.max(0, (first?.index ?? 0) - BEFORE));
  const to = endOfWord(text, (first?.index ?? 0) + AFTER);
  const excerpt = `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`;
  return { path, page, heading: piecesOf(heading, any), excerpt: piecesOf(excerpt, any) };
}

function endOfWord(text: string, at: number): number {
  const end = text.indexOf(' ', at);
  return end === -1 || end > at + LONGEST_WORD ? at : end;
}

function startOfWord(text: string, at: number): number {
  return at === 0 ? 0 : text.indexOf(' ', at) + 1;
}

function piecesOf(text: string, source: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(starting(source, 'giu'))) {
    pieces.push({ text: text.slice(at, match.index), is_match: false }, { text: match[0], is_match: true });
    at = match.index + match[0].length;
  }
  return [...pieces, { text: text.slice(at), is_match: false }].filter((piece) => piece.text !== '');
}
