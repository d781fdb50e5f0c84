import type { DeriveKey } from '#core/ports/outside.ts';

export const deriveKey: DeriveKey = async () => {
  throw new Error('unfinished');
};
