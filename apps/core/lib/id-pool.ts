import { Fault } from '../errors.ts';

export type ReserveIds = (count: number) => Promise<number[]>;

/** Ids for new rows, reserved in blocks: a sealed value names its row, so the id is needed before the insert. */
export function createIdPool(reserve: ReserveIds, block = 1): () => Promise<number> {
  let ids: number[] = [];
  return async () => {
    if (ids.length === 0) ids = await reserve(block);
    const id = ids.shift();
    if (id === undefined) throw new Fault('internal');
    return id;
  };
}
