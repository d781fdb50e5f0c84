import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export interface Random {
  below(limit: number): number;
  of<T>(items: readonly T[]): T;
}

/** mulberry32 */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  function below(limit: number): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }
  return {
    below,
    of(items) {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('Nothing to choose from');
      return item;
    },
  };
}

const NAMES = ['a', 'b', 'c', 'in', 'inn', 'l', 'm', 'n', '..x'];
const PLACES = ['in', 'in', 'in', 'second', 'two', 'out', 'inn', ''];

function randomParts(random: Random, most: number): string[] {
  return Array.from({ length: random.below(most + 1) }, () => random.of([...NAMES, '..']));
}

/** A random path in the farm, existing or not, as a caller might write it. */
export function randomPath(random: Random, base: string, grown: readonly string[]): string {
  const [nearby, anywhere] = [
    random.of(grown),
    [base, random.of(PLACES), ...randomParts(random, 4)].join('/'),
  ];
  return random.of([nearby, nearby, [nearby, ...randomParts(random, 2)].join('/'), anywhere]);
}

function randomTarget(random: Random, base: string): string {
  const absolute = [base, random.of(PLACES), ...randomParts(random, 3)].join('/');
  const relative = [...randomParts(random, 4), random.of(NAMES)].join('/');
  return random.of([
    absolute,
    relative,
    relative,
    `../${relative}`,
    '..',
    '.',
    '/',
    '/etc',
    `../${random.of(PLACES)}`,
  ]);
}

/**
 * `in` and what `second` leads to (`two`) are allowed, `out` is not, and all belong to the account: directories, files
 * and links to anywhere, of the same few names, so that random paths meet them.
 */
export function growFarm(random: Random, base: string, owner: string): string[] {
  const grown: string[] = [];
  for (const place of ['in', 'two', 'out']) {
    const directories = [join(base, place)];
    mkdirSync(join(base, place), { recursive: true });
    for (let nth = 0; nth < 26; nth += 1) grown.push(...growOne(random, { base, place, directories }));
  }
  symlinkSync('two', join(base, 'second'));
  execFileSync('chown', ['-Rh', `${owner}:`, base]);
  return grown;
}

interface Patch {
  readonly base: string;
  readonly place: string;
  readonly directories: string[];
}

function growOne(random: Random, { base, place, directories }: Patch): string[] {
  const path = join(random.of(directories), random.of(NAMES));
  const kind = random.of(['file', 'file', 'link', 'link', 'directory', 'directory'] as const);
  if (lstatSync(path, { throwIfNoEntry: false })) return [];
  if (kind === 'file') writeFileSync(path, place === 'out' ? 'OUTSIDE' : 'INSIDE');
  if (kind === 'link') symlinkSync(randomTarget(random, base), path);
  if (kind === 'directory') directories.push(mkdirSync(path, { recursive: true }) ?? path);
  return [path];
}

/** The realpath of it, or of its deepest existing parent. */
function resolve(path: string): string {
  try {
    return realpathSync.native(path); // The other one ignores `link/..` in a target.
  } catch {
    return join(resolve(dirname(path)), path.slice(path.lastIndexOf('/') + 1));
  }
}

function isInside(path: string, directories: readonly string[]): boolean {
  return directories.some((directory) => path === directory || path.startsWith(`${directory}/`));
}

/** An independent check on the file system itself. */
export function isAllowedByOracle(base: string, rule: string, path: string): boolean {
  const allowed = [join(base, 'in'), join(base, 'two')];
  const lexical = normalize(path).replace(/(?<=.)\/$/, '');
  if (rule !== 'entry' && rule !== 'member') return isInside(resolve(lexical), allowed);
  const parent = resolve(dirname(lexical));
  const itself = isInside(join(parent, lexical.slice(lexical.lastIndexOf('/') + 1)), allowed);
  return itself && (rule === 'entry' || isInside(parent, allowed));
}
