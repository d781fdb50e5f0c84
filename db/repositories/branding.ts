import type { BrandingRepository } from '#core/ports/operations.ts';
import type { Store } from '../store.ts';

export function createBrandingRepository(_store: Store): BrandingRepository {
  const unfinished = () => {
    throw new Error('unfinished');
  };
  return {
    get: async () => undefined,
    images: async () => [],
    image: unfinished,
    save: unfinished,
    clear: unfinished,
  };
}
