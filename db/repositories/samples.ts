import type { SampleRepository } from '#core/ports/operations.ts';
import type { Store } from '../store.ts';

export function createSampleRepository(_store: Store): SampleRepository {
  const unfinished = () => {
    throw new Error('unfinished');
  };
  return {
    record: async () => undefined,
    since: async () => [],
    removeOlder: async () => undefined,
  };
}
