/** One indentation step. Tabs are `width` columns wide. */
export interface Indent {
  readonly kind: 'tabs' | 'spaces';
  readonly width: number;
}

export const INDENTS: readonly Indent[] = [
  { kind: 'spaces', width: 2 },
  { kind: 'spaces', width: 4 },
  { kind: 'spaces', width: 8 },
  { kind: 'tabs', width: 2 },
  { kind: 'tabs', width: 4 },
  { kind: 'tabs', width: 8 },
];

const LOOKED_AT = 2000; // lines, enough to detect a file's style
const TAB: Indent = { kind: 'tabs', width: 4 };
const UNKNOWN: Indent = { kind: 'spaces', width: 2 };
const TABBED_NAMES = /(^|\/)(GNU)?[Mm]akefile$|\.mk$|\.go$/;

/** The indentation used by most lines, or the language's default for an empty text. */
export function detectIndent(path: string, text: string): Indent {
  const lines = text.split('\n', LOOKED_AT);
  const tabbed = lines.filter((line) => /^\t+\S/.test(line)).length;
  const steps = spaceSteps(lines);
  const spaced = [...steps.values()].reduce((sum, count) => sum + count, 0);
  if (tabbed === 0 && spaced === 0) return TABBED_NAMES.test(path) ? TAB : UNKNOWN;
  if (tabbed >= spaced) return TAB;
  const [[width] = [UNKNOWN.width]] = [...steps].sort(([, a], [, b]) => b - a);
  return { kind: 'spaces', width };
}

/** Counts how often the indentation changed by each number of columns between lines. */
function spaceSteps(lines: readonly string[]): Map<number, number> {
  const steps = new Map<number, number>();
  let before = 0;
  for (const line of lines) {
    const depth = /^( *)\S/.exec(line)?.[1]?.length;
    if (depth === undefined) continue; // blank, or starts with a tab
    const step = Math.abs(depth - before);
    before = depth;
    if (step >= 2 && step <= 8) steps.set(step, (steps.get(step) ?? 0) + 1); // comment blocks are aligned by 1
  }
  return steps;
}

export function unitOf({ kind, width }: Indent): string {
  return kind === 'tabs' ? '\t' : ' '.repeat(width);
}
