import type { GiveWay } from '../concurrency/give-way.ts';

const LONGEST_PATTERN = 255;
const STEPS_AT_ONCE = 20_000; // a fraction of a millisecond

/** The remaining budget for matching: patterns come from users. */
export interface Effort {
  steps_left: number;
  readonly giveWay: GiveWay;
}

/** `*` and `?` (ssh_config(5), PATTERNS); backtracks to the last `*` only. False when the budget is used up. */
export function matchesGlob(pattern: string, text: string, effort: Pick<Effort, 'steps_left'>): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let position = 0; position < text.length; effort.steps_left -= 1) {
    if (effort.steps_left <= 0) return false;
    const expected = pattern[at];
    if (expected === '*') {
      star = at;
      at += 1;
      resume = position;
    } else if (expected === '?' || expected === text[position]) {
      at += 1;
      position += 1;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      position = resume;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

/** Result for a list of patterns; one negated match (`!`) outweighs all others. */
type Verdict = 'none' | 'matched' | 'negated';

function verdictAfter(before: Verdict, pattern: string, name: string, effort: Effort): Verdict {
  effort.steps_left -= 1;
  if (before === 'negated') return before;
  const is_negated = pattern.startsWith('!');
  if (!matchesGlob(is_negated ? pattern.slice(1) : pattern, name, effort)) return before;
  return is_negated ? 'negated' : 'matched';
}

/** The lists that match the name; undefined when the budget is used up. */
export async function matchingLists<T extends { readonly patterns: readonly string[] }>(
  lists: readonly T[],
  name: string,
  effort: Effort,
): Promise<T[] | undefined> {
  const found: T[] = [];
  let pause_at = effort.steps_left - STEPS_AT_ONCE;
  for (const list of lists) {
    let verdict: Verdict = 'none';
    for (const pattern of list.patterns) {
      verdict = verdictAfter(verdict, pattern, name, effort);
      if (effort.steps_left > pause_at) continue;
      await effort.giveWay();
      pause_at = effort.steps_left - STEPS_AT_ONCE;
    }
    if (effort.steps_left <= 0) return undefined;
    if (verdict === 'matched') found.push(list);
  }
  return found;
}

/** True for a pattern that matches only itself. */
export function isLiteral(pattern: string): boolean {
  return !pattern.startsWith('!') && !/[*?]/.test(pattern);
}

/** Longer than any host name, so not worth matching. */
export function isTooLong(pattern: string): boolean {
  return pattern.length > LONGEST_PATTERN;
}
