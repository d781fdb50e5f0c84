import type { Warnings } from '../../hosts/imports/warning-list.ts';
import type { BackupContent, BackupUser } from '../../model/backup-content.ts';
import { toUsernameKey } from '../../model/user.ts';
import type { BackupRows, StoredUserRow } from '../../ports/backup.ts';

/** Content that belongs to a user. */
export type OwnedContent = Pick<BackupContent, 'api_keys' | 'quick_keys' | 'snippets'>;

/** Created at the same moment: the same name may belong to different people on different gateways. */
export function isSameAccount(row: StoredUserRow, user: BackupUser): boolean {
  return row.created_at === user.created_at && row.source === user.source;
}

/** The same account with the same sign-in. */
function isSamePerson(row: StoredUserRow, user: BackupUser): boolean {
  const { directory_id, password_hash } = row;
  const is_entry = directory_id !== null && directory_id === user.directory_id;
  const is_password = password_hash !== null && password_hash === user.password_hash;
  return isSameAccount(row, user) && (is_entry || is_password);
}

/** What a merge adds: everything for new accounts, but nothing that grants access for existing ones. */
export function ownedByMerge(content: BackupContent, rows: BackupRows, warnings: Warnings): OwnedContent {
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
