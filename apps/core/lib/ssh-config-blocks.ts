import { type Effort, isLiteral, matchesPatterns } from './glob.ts';
import { type ConfigLine, readConfigLines } from './ssh-config-lines.ts';
import { firstObtained, readSetting, type Settings } from './ssh-config-settings.ts';
import type { Warnings } from './warnings.ts';

/** A `Host` section, or what stands before the first. */
export interface Block {
  readonly patterns: readonly string[];
  settings: Settings;
}

/** The sections in their order; what a `Match` other than `all` guards belongs to nobody. */
export function readBlocks(text: string, warnings: Warnings): Block[] {
  const blocks: Block[] = [{ patterns: ['*'], settings: {} }];
  for (const line of readConfigLines(text)) {
    const block = blocks.at(-1);
    const patterns = patternsOf(line, warnings);
    if (patterns) blocks.push({ patterns, settings: {} });
    else if (block) block.settings = firstObtained(block.settings, readSetting(line));
  }
  return blocks;
}

/** Whom the section is for that the line begins; undefined when it begins none. */
function patternsOf(
  { line, keyword, args = [] }: ConfigLine,
  warnings: Warnings,
): readonly string[] | undefined {
  if (keyword === 'include')
    warnings.add(`Line ${line}: Include is not followed, what it names is left out.`);
  if (keyword === 'host') {
    if (args.length > 0 && !args.includes('')) return args;
    warnings.add(`Line ${line}: this Host cannot be read, its section is left out.`);
    return [];
  }
  if (keyword !== 'match') return undefined;
  if (args.length === 1 && args[0]?.toLowerCase() === 'all') return ['*'];
  warnings.add(`Line ${line}: this Match section is left out, conditions are not evaluated.`);
  return [];
}

/** Every name that a `Host` spells out, once, in the order of appearance. */
export function aliasesOf(blocks: readonly Block[]): string[] {
  return [...new Set(blocks.flatMap(({ patterns }) => patterns.filter(isLiteral)))];
}

/** Looks up what applies to an alias; sections that spell out all their names are found without matching. */
export function createLookup(blocks: readonly Block[]): (alias: string, effort: Effort) => Settings {
  const spelled = new Map<string, Set<number>>();
  const matched: number[] = [];
  for (const [index, { patterns }] of blocks.entries()) {
    if (!patterns.every(isLiteral)) matched.push(index);
    else for (const alias of patterns) spelled.set(alias, (spelled.get(alias) ?? new Set()).add(index));
  }
  return (alias, effort) =>
    [...(spelled.get(alias) ?? []), ...matched.filter((index) => applies(blocks[index], alias, effort))]
      .sort((one, other) => one - other)
      .reduce<Settings>((settings, index) => firstObtained(settings, blocks[index]?.settings ?? {}), {});
}

function applies(block: Block | undefined, alias: string, effort: Effort): boolean {
  return block !== undefined && matchesPatterns(block.patterns, alias, effort);
}
