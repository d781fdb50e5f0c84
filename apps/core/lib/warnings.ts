import { printable } from './text.ts';

const MOST = 200;
const QUOTED_CHARACTERS = 60;

export type Warnings = ReturnType<typeof createWarnings>;

/** Sentences about what was left out of a text that somebody gave; only the first 200 are kept. */
export function createWarnings() {
  const kept: string[] = [];
  let further = 0;
  return {
    add(warning: string): void {
      if (kept.length < MOST) kept.push(warning);
      else further += 1;
    },
    list(): string[] {
      return further === 0 ? kept : [...kept, `and ${further} more`];
    },
  };
}

/** A word of the text within a warning. */
export function quoted(word: string): string {
  const cut = printable(word, QUOTED_CHARACTERS);
  return `"${cut}${cut.length === QUOTED_CHARACTERS ? '…' : ''}"`;
}
