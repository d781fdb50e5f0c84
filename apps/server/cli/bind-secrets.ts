import { THE_GATEWAY } from '#core/audit/trail.ts';
import { createOldVault } from '#core/crypto/vault.ts';
import { bindSecrets } from '#core/operations/binding.ts';
import { ownerOf } from '#core/operations/resealing.ts';
import type { SealedValue } from '#core/ports/repositories/operations.ts';
import type { Config } from '../config/config.ts';
import { existingSecretKey, keyringsOf } from '../config/secret-key.ts';
import { openMaintenance } from './maintenance.ts';

/** Accepts what an older version has sealed, which a running gateway refuses. Returns one line for each secret. */
export async function bindOldSecrets(config: Config): Promise<string[]> {
  const maintenance = await openMaintenance(config, { read_only: false, tables: ['bound_secrets'] });
  const { repositories, vault, trail } = maintenance;
  try {
    const keyrings = await keyringsOf(config, await existingSecretKey(config));
    const old_vault = createOldVault(...keyrings);
    const { bound, lost } = await bindSecrets({ sealed: repositories.sealed, vault, old_vault, log: SILENT });
    const namesOf = (values: readonly SealedValue[]) =>
      Promise.all(values.map((value) => ownerOf(value, repositories)));
    const label = 'bound to their rows, on the command line: ';
    const items = await namesOf(bound);
    if (items.length > 0) await trail.recordAll(THE_GATEWAY, 'secrets_reseal', { label, items });
    return [
      ...items.map((name) => `Bound: ${name}`),
      ...(await namesOf(lost)).map((name) => `Cannot be decrypted: ${name}`),
    ];
  } finally {
    await maintenance.close();
  }
}

const SILENT = { info: () => undefined };
