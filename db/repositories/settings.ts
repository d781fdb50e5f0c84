import type { SettingRepository } from '#core/ports/operations.ts';
import type { Store } from '../store.ts';

export function createSettingRepository(_store: Store): SettingRepository {
  const unfinished = () => {
    throw new Error('unfinished');
  };
  return {
    all: async () => [],
    save: unfinished,
    remove: unfinished,
  };
}
