/** What matching has cost so far, for callers that take patterns from others. */
export interface Effort {
  steps: number;
}

/** `*` and `?` (ssh_config(5), PATTERNS); goes back to the last `*` only, so that no pattern is exponential. */
export function matchesGlob(pattern: string, text: string, effort: Effort = { steps: 0 }): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let position = 0; position < text.length; effort.steps += 1) {
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

/** A list in which `!` negates: one negated match outweighs all others. */
export function matchesPatterns(
  patterns: readonly string[],
  name: string,
  effort: Effort = { steps: 0 },
): boolean {
  let matched = false;
  for (const pattern of patterns) {
    const negated = pattern.startsWith('!');
    const glob = negated ? pattern.slice(1) : pattern;
    effort.steps += 1;
    if (!matchesGlob(glob, name, effort)) continue;
    if (negated) return false;
    matched = true;
  }
  return matched;
}

/** Matches itself and nothing else. */
export function isLiteral(pattern: string): boolean {
  return !pattern.startsWith('!') && !/[*?]/.test(pattern);
}
