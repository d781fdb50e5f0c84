import type { Vault } from '../../crypto/vault.ts';
import type { SealedPlace } from '../../ports/repositories/operations.ts';

/** The stored value of one field of one row. */
export interface StoredSecret {
  readonly place: SealedPlace;
  readonly id: number;
  readonly sealed: string | null;
}

/** Plans a sealed value. `wanted` is in clear: empty for none, null when the bundle does not have it. */
export interface RestoreSecrets {
  /** The value of the bundle; an equal sealed value is kept. */
  replaced(stored: StoredSecret, wanted: string | null): Promise<string | null>;
  /** The existing value, unless it cannot be decrypted and the bundle has it. */
  repaired(stored: StoredSecret, wanted: string | null): Promise<string | null>;
}

export function createRestoreSecrets(vault: Vault): RestoreSecrets {
  const opened = async ({ place, id, sealed }: StoredSecret) =>
    sealed === null ? undefined : vault.open(sealed, place, id).catch(() => undefined);
  return {
    async replaced(stored, wanted) {
      if (wanted === null) return stored.sealed;
      if (wanted === '') return null;
      const is_here = (await opened(stored)) === wanted;
      return is_here ? stored.sealed : vault.seal(wanted, stored.place, stored.id);
    },

    async repaired(stored, wanted) {
      if (stored.sealed === null || !wanted || (await opened(stored)) !== undefined) return stored.sealed;
      return vault.seal(wanted, stored.place, stored.id);
    },
  };
}
