import { Fault } from '../errors.ts';
import { toUsernameKey, type UserRow, userLabel } from '../model/user.ts';
import { type DirectoryGroupRules, type DirectoryRights, rightsOf } from '../policy/directory-groups.ts';
import type { DirectoryUser } from '../ports/identity.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock, Log } from '../ports/runtime.ts';

/** For the audit log. */
export interface DirectoryChange {
  readonly action: 'user_create' | 'user_update' | 'user_groups';
  readonly detail: string;
}

export interface Admitted {
  readonly user: UserRow;
  readonly changed: readonly DirectoryChange[];
}

/** Accounts of directory users. They are bound to directory entries, because usernames can be reassigned. */
export interface DirectoryAccounts {
  /** Creates or updates the account; undefined when another account has the name. */
  admit(found: DirectoryUser): Promise<Admitted | undefined>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'users'>;
  readonly rules: DirectoryGroupRules;
  readonly clock: Clock;
  readonly log: Log;
}

export function createDirectoryAccounts({ repositories, rules, clock, log }: Deps): DirectoryAccounts {
  const { users } = repositories;

  async function create(found: DirectoryUser): Promise<Admitted | undefined> {
    const [username] = found.usernames;
    if (username === undefined) return undefined;
    const { is_admin = false, allowed_groups = [] } = rightsOf(found.groups, rules);
    const created_at = clock.now().toISOString();
    const account = { directory_id: found.id, username, is_admin, allowed_groups, created_at };
    const user = await users.insertFromDirectory(account);
    return user && { user, changed: [toChange(user, 'user_create')] };
  }

  /** False when the account keeps its name, for example because the new one is taken. */
  async function rename({ id, username }: UserRow, { usernames }: DirectoryUser): Promise<boolean> {
    const [first] = usernames;
    if (first === undefined || usernames.map(toUsernameKey).includes(toUsernameKey(username))) return false;
    return users.rename(id, first);
  }

  /** False when the account stays an administrator because it is the last one. */
  async function setAdmin({ id, username }: UserRow, is_admin: boolean): Promise<boolean> {
    try {
      return (await users.update(id, { is_admin })) !== undefined;
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'last_admin')) throw error;
      log.warn({ username }, 'The directory would demote the last enabled administrator, who stays one');
      return false;
    }
  }

  async function refreshGroups(user: UserRow, { allowed_groups }: DirectoryRights) {
    const is_changed = allowed_groups && (await users.update(user.id, { allowed_groups }));
    return is_changed ? [toChange(user, 'user_groups')] : [];
  }

  async function refreshFields(user: UserRow, found: DirectoryUser, { is_admin }: DirectoryRights) {
    const fields: string[] = [];
    if (is_admin !== undefined && (await setAdmin(user, is_admin))) fields.push(`is_admin: ${is_admin}`);
    if (await rename(user, found)) fields.push('username');
    return fields.length > 0 ? [toChange(user, 'user_update', fields)] : [];
  }

  async function refresh(user: UserRow, found: DirectoryUser): Promise<Admitted | undefined> {
    const rights = differing(user, rightsOf(found.groups, rules));
    const changed = [...(await refreshGroups(user, rights)), ...(await refreshFields(user, found, rights))];
    const now = changed.length > 0 ? await users.byId(user.id) : user;
    return now && { user: now, changed };
  }

  return {
    async admit(found) {
      const known = await users.byDirectoryId(found.id);
      const created = known ? undefined : await create(found);
      if (created) return created;
      // A concurrent first sign-in may have created the account.
      const user = known ?? (await users.byDirectoryId(found.id));
      if (!user || user.disabled) return user && { user, changed: [] };
      return refresh(user, found);
    },
  };
}

/** Names the account as before the change. */
function toChange(
  user: UserRow,
  action: DirectoryChange['action'],
  fields: readonly string[] = [],
): DirectoryChange {
  const which = fields.length > 0 ? `: ${fields.join(', ')}` : '';
  return { action, detail: `${userLabel(user)} by the directory${which}` };
}

/** Fields whose stored value differs from the directory's. */
function differing(user: UserRow, { is_admin, allowed_groups }: DirectoryRights): DirectoryRights {
  const has_groups = allowed_groups?.join('\n') === [...user.allowed_groups].sort().join('\n');
  return {
    ...(is_admin === undefined || is_admin === user.is_admin ? {} : { is_admin }),
    ...(allowed_groups === undefined || has_groups ? {} : { allowed_groups }),
  };
}
