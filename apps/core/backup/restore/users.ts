import { withSalts } from '../../accounts/recovery-codes.ts';
import { Fault } from '../../errors.ts';
import { toUsernameKey } from '../../model/accounts/user.ts';
import { type BackupUser, canAlwaysSignIn } from '../../model/backup/content.ts';
import type { RestorePlan, StoredUserRow } from '../../ports/repositories/backup.ts';
import type { Restoring } from './context.ts';
import { isSame, planRows } from './rows.ts';
import type { StoredSecret } from './secrets.ts';

type Users = RestorePlan['users'];
type NewRow = Users['added'][number];

interface Scene {
  readonly wanted: readonly BackupUser[];
  readonly rows: readonly StoredUserRow[];
}

/** Plans accounts by name. The caller stays an enabled administrator and keeps the sign-in. */
export async function planUsers(scene: Scene, restoring: Restoring): Promise<Users> {
  const { mode, caller_id, warnings } = restoring;
  assertStillAdmin(scene, caller_id);
  const default_key = defaultKeyOf(scene, restoring);
  const isDefault = ({ username }: { readonly username: string }) => toUsernameKey(username) === default_key;
  const changes = await planRows(mode, scene, {
    keyOf: ({ username }) => toUsernameKey(username),
    keyOfRow: ({ username }) => toUsernameKey(username),
    toNew: async (user) => ranked(await newRow(user, restoring), isDefault(user)),
    repaired: (row, user) => repairedRow(row, user, restoring),
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

/** Opening a bundle is slow; the caller may have been disabled in the meantime. */
function assertStillAdmin({ rows }: Scene, caller_id: number | undefined): void {
  if (caller_id === undefined) return;
  const row = rows.find(({ id }) => id === caller_id);
  if (!row?.is_admin || row.disabled) throw new Fault('admin_only');
}

/** Users whose sign-in changed or who were disabled. */
export function signedOut(rows: readonly StoredUserRow[], { changed }: Users): number[] {
  const before = new Map(rows.map((row) => [row.id, row]));
  const isSignedOut = (row: StoredUserRow) => {
    const old = before.get(row.id);
    return !old || proofsOf(old) !== proofsOf(row) || (row.disabled && !old.disabled);
  };
  return changed.filter(isSignedOut).map(({ id }) => id);
}

/** Everything a sign-in depends on. */
function proofsOf({ source, directory_id, password_hash, totp_enabled, totp_secret_sealed }: StoredUserRow) {
  return JSON.stringify([source, directory_id, password_hash, totp_enabled, totp_secret_sealed]);
}

/** The existing default administrator stays: otherwise any administrator could take over the role. */
function defaultKeyOf({ wanted, rows }: Scene, { mode, warnings }: Restoring): string | undefined {
  const isDefault = (user: { readonly is_default_admin: boolean }) => user.is_default_admin;
  const [here, there] = [rows.find(isDefault), wanted.find(isDefault)];
  const [key, other] = [here, there].map((user) => user && toUsernameKey(user.username));
  if (mode === 'replace' && there && key !== undefined && key !== other) {
    warnings.addFirst(
      `${there.username}: restored as an administrator, because this gateway has another default administrator`,
    );
  }
  return key ?? other;
}

/** Keeps the default administrator able to sign in. */
function withWayIn(row: StoredUserRow, after: StoredUserRow, { warnings }: Restoring): StoredUserRow {
  if (canAlwaysSignIn(after)) return after;
  warnings.addFirst(`${row.username}: the default administrator keeps its current sign-in`);
  const { source, directory_id, password_hash, disabled } = row;
  return { ...after, source, directory_id, password_hash, disabled };
}

function ranked<Row extends NewRow>(row: Row, is_default_admin: boolean): Row {
  return { ...row, is_default_admin, is_admin: row.is_admin || is_default_admin };
}

/** Accounts that stay although they are not in the bundle, where their rank changes. */
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
  const id = await restoring.nextId('users');
  return { id, ...fields, totp_secret_sealed: await factorOf({ id, sealed: null }, user, restoring) };
}

/** The sealed TOTP secret; `sealed` is the existing confirmed one. */
async function factorOf(
  stored: Omit<StoredSecret, 'place'>,
  { username, totp_enabled, totp_secret }: BackupUser,
  { secrets, warnings }: Restoring,
): Promise<string | null> {
  if (!totp_enabled) return null;
  if (stored.sealed === null && totp_secret === null) {
    warnings.add(`${username}: the bundle has no secret for the second factor; recovery codes still work`);
  }
  return secrets.replaced({ place: 'users.totp_secret', ...stored }, totp_secret);
}

async function repairedRow(
  row: StoredUserRow,
  user: BackupUser,
  { secrets }: Restoring,
): Promise<StoredUserRow> {
  const is_same = row.totp_enabled && user.totp_enabled && isSameAccount(row, user);
  const wanted = is_same ? user.totp_secret : null;
  const stored = { place: 'users.totp_secret', id: row.id, sealed: row.totp_secret_sealed } as const;
  const totp_secret_sealed = await secrets.repaired(stored, wanted);
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
  // An unconfirmed setup does not count.
  const sealed = row.totp_enabled ? row.totp_secret_sealed : null;
  const totp_secret_sealed = await factorOf({ id: row.id, sealed }, user, restoring);
  const is_here = isSame(withSalts(row.id, row.recovery_digests ?? []), recovery_digests);
  return {
    ...after,
    totp_secret_sealed,
    // A code that was used here must not work again.
    totp_last_step: totp_secret_sealed === row.totp_secret_sealed ? row.totp_last_step : totp_last_step,
    recovery_digests: is_here ? row.recovery_digests : recovery_digests,
  };
}

/** A directory entry belongs to one account; an existing owner keeps it. */
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
    warnings.add(`${username}: its directory entry belongs to ${holder} here`);
    return { ...row, directory_id: null };
  };
  return { ...changes, changed: changes.changed.map(own), added: changes.added.map(own) };
}

function assertAdministered(rows: readonly StoredUserRow[], { added, changed, removed }: Users): void {
  const gone = new Set([...removed, ...changed.map(({ id }) => id)]);
  const after: readonly NewRow[] = [...rows.filter(({ id }) => !gone.has(id)), ...changed, ...added];
  if (!after.some(({ is_admin, disabled }) => is_admin && !disabled)) throw new Fault('last_admin');
}

/** Created at the same moment: the same name may belong to different people on different gateways. */
export function isSameAccount(row: StoredUserRow, user: BackupUser): boolean {
  return row.created_at === user.created_at && row.source === user.source;
}
