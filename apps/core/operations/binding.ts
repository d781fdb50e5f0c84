import { OLD_FORM, type OldVault, type Vault } from '../crypto/vault.ts';
import type { SealedRepository, SealedValue } from '../ports/repositories/operations.ts';
import type { Log } from '../ports/runtime.ts';
import { foreignValues } from './resealing.ts';

const LOG_EVERY = 1000; // secrets

export interface Binding {
  readonly bound: readonly SealedValue[];
  /** In the old form under a key that is not known here. */
  readonly lost: readonly SealedValue[];
}

interface Deps {
  readonly sealed: SealedRepository;
  readonly vault: Vault;
  readonly old_vault: OldVault;
  readonly log: Pick<Log, 'info'>;
}

/** Seals anew what an older version has sealed without naming the row. Can be interrupted and run again. */
export async function bindSecrets({ sealed, vault, old_vault, log }: Deps): Promise<Binding> {
  const bound: SealedValue[] = [];
  const lost: SealedValue[] = [];
  for await (const value of foreignValues(sealed, vault.prefix)) {
    if (!value.sealed.startsWith(`${OLD_FORM}:`)) continue; // sealed by this version with the previous key
    const { place, id } = value;
    const secret = await old_vault(value.sealed, place).catch(() => undefined);
    if (secret === undefined) {
      lost.push(value);
      continue;
    }
    await sealed.replace(value, await vault.seal(secret, place, id));
    bound.push(value);
    if (bound.length % LOG_EVERY === 0)
      log.info({ done: bound.length }, 'Binding stored secrets to their rows');
  }
  return { bound, lost };
}
