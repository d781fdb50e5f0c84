import { printable } from '../../lib/text.ts';

const MOST = 200;
const QUOTED_CHARACTERS = 60;

export type Warnings = ReturnType<typeof createWarnings>;

/** Sentences about what was left out of a text that somebody gave; only the first 200 are kept. */
export function createWarnings() {
  const kept: string[] = [];
  let further = 0;
  return {
    add(...warnings: readonly string[]): void {
      for (const warning of warnings) {
        if (kept.length < MOST) kept.push(warning);
        else further += 1;
      }
    },
    /** Before all others, so that it is kept: what concerns all of the text. */
    addFirst(...warnings: readonly string[]): void {
      kept.unshift(...warnings);
      further += kept.splice(MOST).length;
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
