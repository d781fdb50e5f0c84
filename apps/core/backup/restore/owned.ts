import { Fault, type FaultCode } from '../../errors.ts';
import { fingerprintOf } from '../../hosts/known-hosts/parse.ts';
import type { BackupContent } from '../../model/backup-content.ts';
import { MAX_API_KEYS, MAX_SNIPPETS } from '../../model/limits.ts';
import { toUsernameKey } from '../../model/user.ts';
import type { BackupRows, NamedOwner, Owned, RestorePlan, RowChanges } from '../../ports/backup.ts';
import type { Restoring } from './context.ts';
import { type OwnedContent, ownedByMerge } from './people.ts';
import { planRows } from './rows.ts';

type OwnedKinds = Pick<RestorePlan, 'api_keys' | 'quick_keys' | 'snippets'>;

/** Plans rows that belong to users, by username. */
export async function planOwned(
  whole: BackupContent,
  rows: BackupRows,
  restoring: Restoring,
): Promise<OwnedKinds> {
  const { mode, warnings } = restoring;
  const content = mode === 'merge' ? ownedByMerge(whole, rows, warnings) : whole;
  const owned = namingOwners(rows);
  const here = { api_keys: owned(rows.api_keys), snippets: owned(rows.snippets) };
  const api_keys = await planApiKeys(content, here.api_keys, restoring);
  const snippets = await planSnippets(content, here.snippets, restoring);
  assertRoom(here.api_keys, api_keys, { limit: MAX_API_KEYS, code: 'too_many_keys' });
  assertRoom(here.snippets, snippets, { limit: MAX_SNIPPETS, code: 'too_many_snippets' });
  return { api_keys, snippets, quick_keys: await planQuickKeys(content, owned(rows.quick_keys), restoring) };
}

/** The same limits as in the API. */
function assertRoom<Row extends NamedOwner & { readonly id: number }>(
  rows: readonly Row[],
  { added, changed, removed }: RowChanges<NamedOwner, Row>,
  { limit, code }: { readonly limit: number; readonly code: FaultCode },
): void {
  const gone = new Set([...removed, ...changed.map(({ id }) => id)]);
  const held = new Map<string, number>();
  for (const { owner_key } of [...rows.filter(({ id }) => !gone.has(id)), ...changed, ...added]) {
    held.set(owner_key, (held.get(owner_key) ?? 0) + 1);
  }
  if (added.some(({ owner_key }) => (held.get(owner_key) ?? 0) > limit)) throw new Fault(code);
}

function namingOwners({ users }: BackupRows) {
  const keys = new Map(users.map(({ id, username }) => [id, toUsernameKey(username)]));
  return <Row extends { readonly user_id: number }>(rows: readonly Row[]): Owned<Row>[] =>
    rows.map(({ user_id, ...row }) => ({ ...row, owner_key: keys.get(user_id) ?? '' }));
}

type Rows<Kind extends keyof OwnedKinds> = OwnedKinds[Kind]['changed'];

/** An API key is identified by its digest, whoever owns it. */
function planApiKeys({ api_keys: wanted }: OwnedContent, rows: Rows<'api_keys'>, { mode }: Restoring) {
  return planRows(
    mode,
    { wanted, rows },
    {
      keyOf: ({ key_digest }) => key_digest,
      keyOfRow: ({ key_digest }) => key_digest,
      toNew: ({ owner, ...key }) => ({ ...key, ...ownerOf(owner) }),
      replaced: (row, { owner, last_used_at: _used, created_at: _at, ...key }) => ({
        ...row,
        ...key,
        ...ownerOf(owner),
      }),
    },
  );
}

function planQuickKeys({ quick_keys: wanted }: OwnedContent, rows: Rows<'quick_keys'>, { mode }: Restoring) {
  return planRows(
    mode,
    { wanted, rows },
    {
      keyOf: ({ owner, hostname, port }) => JSON.stringify([toUsernameKey(owner), hostname, port]),
      keyOfRow: ({ owner_key, hostname, port }) => JSON.stringify([owner_key, hostname, port]),
      toNew: async ({ owner, ...key }) => ({
        ...key,
        ...ownerOf(owner),
        fingerprint: await fingerprintOf(key.host_key),
      }),
      replaced: async (row, { host_key }) => ({
        ...row,
        host_key,
        fingerprint: await fingerprintOf(host_key),
      }),
    },
  );
}

function planSnippets({ snippets: wanted }: OwnedContent, rows: Rows<'snippets'>, { mode }: Restoring) {
  return planRows(
    mode,
    { wanted, rows },
    {
      keyOf: ({ owner, name }) => JSON.stringify([toUsernameKey(owner), name]),
      keyOfRow: ({ owner_key, name }) => JSON.stringify([owner_key, name]),
      toNew: ({ owner, ...snippet }) => ({ ...snippet, ...ownerOf(owner) }),
      replaced: (row, { owner: _owner, created_at: _at, ...snippet }) => ({ ...row, ...snippet }),
    },
  );
}

function ownerOf(username: string): NamedOwner {
  return { owner_key: toUsernameKey(username) };
}
