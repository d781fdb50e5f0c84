import type { Vault } from '../../crypto/vault.ts';
import type { SealedPlace } from '../../ports/repositories/operations.ts';

/** Plans a sealed value. `wanted` is in clear: empty for none, null when the bundle does not have it. */
export interface RestoreSecrets {
  /** The value of the bundle; an equal sealed value is kept. */
  replaced(place: SealedPlace, sealed: string | null, wanted: string | null): Promise<string | null>;
  /** The existing value, unless it cannot be decrypted and the bundle has it. */
  repaired(place: SealedPlace, sealed: string | null, wanted: string | null): Promise<string | null>;
}

export function createRestoreSecrets(vault: Vault): RestoreSecrets {
  const opened = (place: SealedPlace, sealed: string) => vault.open(sealed, place).catch(() => undefined);
  return {
    async replaced(place, sealed, wanted) {
      if (wanted === null) return sealed;
      if (wanted === '') return null;
      const is_here = sealed !== null && (await opened(place, sealed)) === wanted;
      return is_here ? sealed : vault.seal(wanted, place);
    },

    async repaired(place, sealed, wanted) {
      if (sealed === null || !wanted || (await opened(place, sealed)) !== undefined) return sealed;
      return vault.seal(wanted, place);
    },
  };
}
