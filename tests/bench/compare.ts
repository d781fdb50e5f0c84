import { median } from './measure.ts';

const ROUNDS = 3;

export interface Compared {
  readonly theirs: number;
  readonly ours: number;
}

/** Medians of both, measured in turn, so that a busy moment of the machine meets both. */
export async function compare(theirs: () => Promise<number>, ours: () => Promise<number>): Promise<Compared> {
  const values = { theirs: [] as number[], ours: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    values.theirs.push(await theirs());
    values.ours.push(await ours());
  }
  return { theirs: median(values.theirs), ours: median(values.ours) };
}
