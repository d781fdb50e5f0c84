import type { GiveWay } from '../../../lib/concurrency/give-way.ts';
import { type Effort, isLiteral, isTooLong, matchingLists } from '../../../lib/text/glob.ts';
import type { Warnings } from '../warning-list.ts';
import type { Block, Place } from './block.ts';
import { type ConfigLine, readConfigLines } from './lines.ts';
import { firstObtained, readSetting, type Settings } from './settings.ts';
import { warnAboutRepeat, warnAboutUnmatched } from './unused.ts';

/** The sections in order; lines of a `Match` other than `all` are ignored. */
export async function readBlocks(text: string, warnings: Warnings, giveWay: GiveWay): Promise<Block[]> {
  const blocks: Block[] = [{ line: 1, patterns: ['*'], settings: {} }];
  for (const line of readConfigLines(text)) {
    await giveWay();
    const block = blocks.at(-1);
    const patterns = patternsOf(line, warnings);
    if (patterns) blocks.push({ line: line.line, patterns, settings: {} });
    else if (block) block.settings = firstObtained(block.settings, readSetting(line));
  }
  return blocks;
}

/** The patterns of the section that the line begins; undefined when it begins none. */
function patternsOf({ line, keyword, args = [] }: ConfigLine, warnings: Warnings): string[] | undefined {
  if (keyword === 'include')
    warnings.add(`Line ${line}: Include is not followed, what it names is left out.`);
  if (keyword === 'host') return hostPatterns(line, args, warnings);
  if (keyword !== 'match') return undefined;
  if (args.length === 1 && args[0]?.toLowerCase() === 'all') return ['*'];
  warnings.add(`Line ${line}: this Match section is left out, conditions are not evaluated.`);
  return [];
}

function hostPatterns(line: number, args: readonly string[], warnings: Warnings): string[] {
  const usable = args.filter((pattern) => !isTooLong(pattern));
  const is_readable = args.length > 0 && !args.includes('');
  // Dropping a negation would apply the section to more hosts.
  if (!is_readable || args.some((pattern) => isTooLong(pattern) && pattern.startsWith('!'))) {
    warnings.add(`Line ${line}: this Host cannot be read, its section is left out.`);
    return [];
  }
  if (usable.length < args.length)
    warnings.add(`Line ${line}: names and patterns of more than 255 characters are left out.`);
  return usable;
}

/** A literal name in a `Host` line, and the first line that has it. */
export interface NamedHost {
  readonly alias: string;
  readonly line: number | undefined;
}

/** By name, in order of appearance. */
export function aliasesOf(blocks: readonly Block[]): ReadonlyMap<string, NamedHost> {
  const hosts = new Map<string, NamedHost>();
  for (const { line, patterns } of blocks) {
    for (const alias of patterns.filter(isLiteral)) if (!hosts.has(alias)) hosts.set(alias, { alias, line });
  }
  return hosts;
}

export interface Lookup {
  /** The settings for an alias; undefined when the budget is used up. */
  of(alias: string): Promise<Settings | undefined>;
  /** Warns about sections that no alias has used so far. */
  warnAboutUnmatched(): void;
}

/** Sections with only literal names are looked up, the others matched. */
export async function createLookup(
  blocks: readonly Block[],
  effort: Effort,
  warnings: Warnings,
): Promise<Lookup> {
  const spelled = new Map<string, Set<Place>>();
  const matched: Place[] = [];
  const used = new Set<number>();
  for (const [index, block] of blocks.entries()) {
    await effort.giveWay();
    const place = { ...block, index };
    if (!block.patterns.every(isLiteral)) matched.push(place);
    else for (const alias of block.patterns) spelled.set(alias, (spelled.get(alias) ?? new Set()).add(place));
  }
  return {
    async of(alias) {
      const found = await matchingLists(matched, alias, effort);
      if (!found) return undefined;
      for (const { index } of found) used.add(index);
      const places = [...(spelled.get(alias) ?? []), ...found].sort((one, other) => one.index - other.index);
      warnAboutRepeat(alias, spelled.get(alias) ?? [], warnings);
      return places.reduce<Settings>((settings, place) => firstObtained(settings, place.settings), {});
    },
    warnAboutUnmatched: () => warnAboutUnmatched(matched, used, warnings),
  };
}
