import type { SealedRepository } from '#core/ports/operations.ts';
import type { Store } from '../store.ts';

export function createSealedRepository(_store: Store): SealedRepository {
  const unfinished = () => {
    throw new Error('unfinished');
  };
  return {
    foreign: async () => [],
    replace: unfinished,
  };
}
