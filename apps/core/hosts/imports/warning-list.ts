import { printable } from '../../lib/text/printable.ts';

const MOST = 200;
const QUOTED_CHARACTERS = 60;

export type Warnings = ReturnType<typeof createWarnings>;

/** Collects warnings about skipped parts of an import; keeps the first 200. */
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
    /** Adds warnings about the whole text in front, so that they are kept. */
    addFirst(...warnings: readonly string[]): void {
      kept.unshift(...warnings);
      further += kept.splice(MOST).length;
    },
    list(): string[] {
      return further === 0 ? kept : [...kept, `and ${further} more`];
    },
  };
}

/** Quotes a word of the text in a warning. */
export function quoted(word: string): string {
  const cut = printable(word, QUOTED_CHARACTERS);
  return `"${cut}${cut.length === QUOTED_CHARACTERS ? '…' : ''}"`;
}
