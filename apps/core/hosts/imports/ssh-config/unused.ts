import { isLiteral } from '../../../lib/text/glob.ts';
import { quoted, type Warnings } from '../warning-list.ts';
import type { Place } from './block.ts';

const SINGLE = ['hostname', 'port', 'user', 'proxy'] as const;

/** Warns about the first later section of a name with another value: the first value counts. */
export function warnAboutRepeat(alias: string, sections: Iterable<Place>, warnings: Warnings): void {
  const obtained = new Map<(typeof SINGLE)[number], { text: string; line: number }>();
  for (const { line, settings } of sections)
    for (const name of SINGLE) {
      const setting = settings[name];
      if (!setting) continue;
      const [text, before] = [textOf(setting), obtained.get(name)];
      if (!before) obtained.set(name, { text, line });
      else if (before.text !== text) {
        warnings.add(
          `Line ${line}: Host ${quoted(alias)} has a section already (line ${before.line}), whose settings count.`,
        );
        return;
      }
    }
}

/** Warns about sections of patterns only that match no name of the text: a pattern is no server. */
export function warnAboutUnmatched(
  places: readonly Place[],
  matched: ReadonlySet<number>,
  warnings: Warnings,
): void {
  for (const { index, line, patterns } of places) {
    if (matched.has(index) || patterns.length === 0 || patterns.includes('*') || patterns.some(isLiteral))
      continue;
    const names = quoted(patterns.join(' '));
    warnings.add(`Line ${line}: nothing is imported for Host ${names}, which no name in the text matches.`);
  }
}

function textOf({ line: _line, ...said }: { readonly line: number }): string {
  return JSON.stringify(said);
}
