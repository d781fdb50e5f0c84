import { digestOfRevocation, revokedRow } from '../../hosts/known-hosts/revoked.ts';
import type { BackupRevokedKey } from '../../model/backup/content.ts';
import type { BackupRows, RestorePlan } from '../../ports/repositories/backup.ts';

/** Adds revocations and removes none: an older bundle has no list, and only a person accepts a revoked key again. */
export async function planRevokedKeys(
  wanted: readonly BackupRevokedKey[],
  { revoked_keys: rows }: Pick<BackupRows, 'revoked_keys'>,
): Promise<RestorePlan['revoked_keys']> {
  const known = new Set(rows.map(({ digest }) => digest));
  const added = new Map<string, RestorePlan['revoked_keys']['added'][number]>();
  for (const { names, host_key, created_at } of wanted) {
    const digest = await digestOfRevocation({ names, host_key });
    if (!known.has(digest)) added.set(digest, await revokedRow({ names, host_key, created_at }));
  }
  return { added: [...added.values()], changed: [], removed: [] };
}
