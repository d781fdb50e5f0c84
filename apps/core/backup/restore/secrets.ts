import type { Vault } from '../../crypto/vault.ts';
import type { SealedPlace } from '../../ports/operations.ts';

/** What becomes of a sealed value; `wanted` is in clear: empty for none, null when the bundle does not have it. */
export interface RestoreSecrets {
  /** As the bundle says; what is sealed already stays as it is. */
  replaced(place: SealedPlace, sealed: string | null, wanted: string | null): Promise<string | null>;
  /** As it is, unless no key of ours opens it and the bundle has it. */
  mended(place: SealedPlace, sealed: string | null, wanted: string | null): Promise<string | null>;
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

    async mended(place, sealed, wanted) {
      if (sealed === null || !wanted || (await opened(place, sealed)) !== undefined) return sealed;
      return vault.seal(wanted, place);
    },
  };
}
