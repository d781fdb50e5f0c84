import { withSalts } from '../../accounts/recovery-codes.ts';
import { Fault } from '../../errors.ts';
import { type BackupUser, canAlwaysSignIn } from '../../model/backup-content.ts';
import { toUsernameKey } from '../../model/user.ts';
import type { RestorePlan, StoredUserRow } from '../../ports/backup.ts';
import type { Restoring } from './context.ts';
import { isSameAccount } from './people.ts';
import { isSame, planRows } from './rows.ts';

type Users = RestorePlan['users'];
type NewRow = Users['added'][number];

interface Scene {
  readonly wanted: readonly BackupUser[];
  readonly rows: readonly StoredUserRow[];
}

/** Accounts by name. Whoever restores stays an enabled administrator, and keeps the way in. */
export async function planUsers(scene: Scene, restoring: Restoring): Promise<Users> {
  const { mode, caller_id, warnings } = restoring;
  assertStillAdmin(scene, caller_id);
  const default_key = defaultKeyOf(scene, restoring);
  const isDefault = ({ username }: { readonly username: string }) => toUsernameKey(username) === default_key;
  const changes = await planRows(mode, scene, {
    keyOf: ({ username }) => toUsernameKey(username),
    keyOfRow: ({ username }) => toUsernameKey(username),
    toNew: async (user) => ranked(await newRow(user, restoring), isDefault(user)),
    mended: (row, user) => mendedRow(row, user, restoring),
    async replaced(row, user) {
      if (row.id !== caller_id) {
        const after = await replacedRow(row, user, restoring);
        return ranked(isDefault(row) ? withWayIn(row, after, restoring) : after, isDefault(row));
      }
      if (!user.is_admin || user.disabled) {
        warnings.addFirst(`${row.username}: your own account stays an enabled administrator`);
      }
      return ranked({ ...row, allowed_groups: user.allowed_groups }, isDefault(row));
    },
    isKept: (row) => row.id === caller_id || isDefault(row),
  });
  if (mode === 'merge') return withOwnEntries(scene, changes, restoring);
  const all = [...changes.changed, ...keptRows(scene, restoring, isDefault)];
  const replaced = withOwnEntries(scene, { ...changes, changed: all }, restoring);
  assertAdministered(scene.rows, replaced);
  return replaced;
}

/** Opening a bundle takes its time: whoever was disabled meanwhile changes nothing. */
function assertStillAdmin({ rows }: Scene, caller_id: number | undefined): void {
  if (caller_id === undefined) return;
  const row = rows.find(({ id }) => id === caller_id);
  if (!row?.is_admin || row.disabled) throw new Fault('admin_only');
}

/** Those who would sign in with something else now, or may not any more. */
export function signedOut(rows: readonly StoredUserRow[], { changed }: Users): number[] {
  const before = new Map(rows.map((row) => [row.id, row]));
  const isSignedOut = (row: StoredUserRow) => {
    const old = before.get(row.id);
    return !old || proofsOf(old) !== proofsOf(row) || (row.disabled && !old.disabled);
  };
  return changed.filter(isSignedOut).map(({ id }) => id);
}

/** What a sign-in is made of. */
function proofsOf({ source, directory_id, password_hash, totp_enabled, totp_secret_sealed }: StoredUserRow) {
  return JSON.stringify([source, directory_id, password_hash, totp_enabled, totp_secret_sealed]);
}

/** Who it is here stays it: else any administrator could take it over. */
function defaultKeyOf({ wanted, rows }: Scene, { mode, warnings }: Restoring): string | undefined {
  const isDefault = (user: { readonly is_default_admin: boolean }) => user.is_default_admin;
  const [here, there] = [rows.find(isDefault), wanted.find(isDefault)];
  const [key, other] = [here, there].map((user) => user && toUsernameKey(user.username));
  if (mode === 'replace' && there && key !== undefined && key !== other) {
    warnings.addFirst(`${there.username}: not the default administrator here, but an administrator`);
  }
  return key ?? other;
}

/** However the bundle has it, the default administrator can sign in. */
function withWayIn(row: StoredUserRow, after: StoredUserRow, { warnings }: Restoring): StoredUserRow {
  if (canAlwaysSignIn(after)) return after;
  warnings.addFirst(`${row.username}: the default administrator keeps the way in that it has`);
  const { source, directory_id, password_hash, disabled } = row;
  return { ...after, source, directory_id, password_hash, disabled };
}

function ranked<Row extends NewRow>(row: Row, is_default_admin: boolean): Row {
  return { ...row, is_default_admin, is_admin: row.is_admin || is_default_admin };
}

/** Who is not in the bundle and stays all the same, where something changes about them. */
function keptRows(
  { wanted, rows }: Scene,
  { caller_id, warnings }: Restoring,
  isDefault: (row: StoredUserRow) => boolean,
): StoredUserRow[] {
  const names = new Set(wanted.map(({ username }) => toUsernameKey(username)));
  const kept = rows.filter(
    (row) => !names.has(toUsernameKey(row.username)) && (row.id === caller_id || isDefault(row)),
  );
  for (const { id, username } of kept) {
    const whose = id === caller_id ? 'your own account' : 'the default administrator';
    warnings.addFirst(`${username}: ${whose} is not in the bundle and stays`);
  }
  return kept
    .map((row) => ranked(row, isDefault(row)))
    .filter((row) => !rows.some((old) => isSame(old, row)));
}

async function newRow(user: BackupUser, restoring: Restoring): Promise<NewRow> {
  const { totp_secret, ...fields } = user;
  return { ...fields, totp_secret_sealed: await factorOf(null, user, restoring) };
}

/** The sealed secret of the second factor; `sealed` is of one that was confirmed. */
async function factorOf(
  sealed: string | null,
  { username, totp_enabled, totp_secret }: BackupUser,
  { secrets, warnings }: Restoring,
): Promise<string | null> {
  if (!totp_enabled) return null;
  if (sealed === null && totp_secret === null) {
    warnings.add(`${username}: without the secret of the second factor; a recovery code still works`);
  }
  return secrets.replaced('users.totp_secret', sealed, totp_secret);
}

async function mendedRow(
  row: StoredUserRow,
  user: BackupUser,
  { secrets }: Restoring,
): Promise<StoredUserRow> {
  const is_same = row.totp_enabled && user.totp_enabled && isSameAccount(row, user);
  const wanted = is_same ? user.totp_secret : null;
  const totp_secret_sealed = await secrets.mended('users.totp_secret', row.totp_secret_sealed, wanted);
  return { ...row, totp_secret_sealed };
}

async function replacedRow(
  row: StoredUserRow,
  user: BackupUser,
  restoring: Restoring,
): Promise<StoredUserRow> {
  const { totp_secret, recovery_digests, totp_last_step, created_at: _at, ...fields } = user;
  const after = { ...row, ...fields };
  if (!row.totp_enabled && !user.totp_enabled) return after;
  // A set-up that nobody has confirmed is no second factor.
  const sealed = row.totp_enabled ? row.totp_secret_sealed : null;
  const totp_secret_sealed = await factorOf(sealed, user, restoring);
  const is_here = isSame(withSalts(row.id, row.recovery_digests ?? []), recovery_digests);
  return {
    ...after,
    totp_secret_sealed,
    // No code that was taken here already works once more.
    totp_last_step: totp_secret_sealed === row.totp_secret_sealed ? row.totp_last_step : totp_last_step,
    recovery_digests: is_here ? row.recovery_digests : recovery_digests,
  };
}

/** An entry of the directory belongs to one account: whoever has it here keeps it. */
function withOwnEntries({ rows }: Scene, changes: Users, { warnings }: Restoring): Users {
  const removed = new Set(changes.removed);
  const changed = new Map(changes.changed.map((row) => [row.id, row.directory_id]));
  const stays = ({ id, directory_id }: StoredUserRow) =>
    !removed.has(id) && (!changed.has(id) || changed.get(id) === directory_id);
  const holders = new Map(
    rows
      .filter(stays)
      .flatMap((row) => (row.directory_id === null ? [] : [[row.directory_id, row.username]])),
  );
  const own = <Row extends NewRow>(row: Row): Row => {
    const { directory_id, username } = row;
    if (directory_id === null) return row;
    const holder = holders.get(directory_id) ?? username;
    holders.set(directory_id, holder);
    if (toUsernameKey(holder) === toUsernameKey(username)) return row;
    warnings.add(`${username}: its entry of the directory belongs to ${holder} here`);
    return { ...row, directory_id: null };
  };
  return { ...changes, changed: changes.changed.map(own), added: changes.added.map(own) };
}

function assertAdministered(rows: readonly StoredUserRow[], { added, changed, removed }: Users): void {
  const gone = new Set([...removed, ...changed.map(({ id }) => id)]);
  const after: readonly NewRow[] = [...rows.filter(({ id }) => !gone.has(id)), ...changed, ...added];
  if (!after.some(({ is_admin, disabled }) => is_admin && !disabled)) throw new Fault('last_admin');
}
