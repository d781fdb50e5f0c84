import { Fault, type FaultCode } from '../../errors.ts';
import type { Warnings } from '../../hosts/imports/warning-list.ts';
import { fingerprintOf } from '../../hosts/known-hosts/parse.ts';
import { MAX_API_KEYS, MAX_SNIPPETS } from '../../limits.ts';
import { toUsernameKey } from '../../model/accounts/user.ts';
import type { BackupContent, BackupUser } from '../../model/backup/content.ts';
import type {
  BackupRows,
  NamedOwner,
  Owned,
  RestorePlan,
  RowChanges,
  StoredUserRow,
} from '../../ports/repositories/backup.ts';
import type { Restoring } from './context.ts';
import { planRows } from './rows.ts';
import { isSameAccount } from './users.ts';

type OwnedKinds = Pick<RestorePlan, 'api_keys' | 'quick_keys' | 'snippets'>;

/** Plans rows that belong to users, by username. */
export async function planUserContent(
  whole: BackupContent,
  rows: BackupRows,
  restoring: Restoring,
): Promise<OwnedKinds> {
  const { mode, warnings } = restoring;
  const content = mode === 'merge' ? mergeableContent(whole, rows, warnings) : whole;
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

/** An API key is identified by its digest, not by its owner. */
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

/** Content that belongs to a user. */
type OwnedContent = Pick<BackupContent, 'api_keys' | 'quick_keys' | 'snippets'>;

/** The same account with the same sign-in. */
function isSamePerson(row: StoredUserRow, user: BackupUser): boolean {
  const { directory_id, password_hash } = row;
  const is_entry = directory_id !== null && directory_id === user.directory_id;
  const is_password = password_hash !== null && password_hash === user.password_hash;
  return isSameAccount(row, user) && (is_entry || is_password);
}

/** What a merge adds: everything for new accounts, but nothing that grants access for existing ones. */
function mergeableContent(content: BackupContent, rows: BackupRows, warnings: Warnings): OwnedContent {
  const here = new Map(rows.users.map((row) => [toUsernameKey(row.username), row]));
  const digests = new Set(rows.api_keys.map(({ key_digest }) => key_digest));
  const strangers = new Set(
    content.users
      .filter((user) => {
        const row = here.get(toUsernameKey(user.username));
        return row && !isSamePerson(row, user);
      })
      .map(({ username }) => toUsernameKey(username)),
  );
  const isHere = ({ owner }: Owning) => here.has(toUsernameKey(owner));
  const isStrange = ({ owner }: Owning) => strangers.has(toUsernameKey(owner));
  const { api_keys, quick_keys, snippets } = content;
  const revoked = api_keys.filter((key) => isHere(key) && !digests.has(key.key_digest));
  warnings.add(
    ...leftOut(revoked, 'API keys', () => 'they do not exist here and may have been revoked'),
    ...leftOut(quick_keys.filter(isStrange), 'pinned host keys', somebodyElse),
    ...leftOut(snippets.filter(isStrange), 'snippets', somebodyElse),
  );
  return {
    api_keys: api_keys.filter((key) => !isHere(key)),
    quick_keys: quick_keys.filter((key) => !isStrange(key)),
    snippets: snippets.filter((snippet) => !isStrange(snippet)),
  };
}

interface Owning {
  readonly owner: string;
}

/** One warning per owner. */
function leftOut(rows: readonly Owning[], what: string, whyOf: (owner: string) => string): string[] {
  const counts = new Map<string, number>();
  for (const { owner } of rows) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return [...counts].map(([owner, count]) => `${count} ${what} of ${owner} were left out: ${whyOf(owner)}`);
}

function somebodyElse(owner: string): string {
  return `the account ${owner} here may belong to somebody else`;
}
