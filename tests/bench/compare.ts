import { median } from './measure.ts';
import { IS_QUICK } from './quick.ts';

const ROUNDS = IS_QUICK ? 1 : 3;

export interface Compared {
  readonly theirs: number;
  readonly ours: number;
}

/** The figures of each program, measured in turn so that load on the machine affects all of them. */
export async function inTurn<T>(measures: readonly (() => Promise<T>)[], rounds = ROUNDS): Promise<T[][]> {
  const found: T[][] = measures.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, measure] of measures.entries()) found[at]?.push(await measure());
  }
  return found;
}

/** The medians of both. */
export async function compare(
  theirs: () => Promise<number>,
  ours: () => Promise<number>,
  rounds = ROUNDS,
): Promise<Compared> {
  const [of_theirs = [], of_ours = []] = await inTurn([theirs, ours], rounds);
  return { theirs: median(of_theirs), ours: median(of_ours) };
}
