import { Fault } from '../errors.ts';
import type {
  ExternalIdentity,
  ExternalRights,
  ExternalSource,
} from '../model/accounts/external-identity.ts';
import { toUsernameKey, type UserRow, userLabel } from '../model/accounts/user.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock, Log } from '../ports/runtime.ts';

/** For the audit log. */
interface ExternalChange {
  readonly action: 'user_create' | 'user_update' | 'user_groups';
  readonly detail: string;
}

/** The reason is for the audit log; the client only learns that the sign-in failed. */
export type Admission =
  | {
      readonly user: UserRow;
      /** Changes that the source made to the account; the caller records them. */
      readonly changed: readonly ExternalChange[];
      readonly refusal?: undefined;
    }
  | { readonly user?: undefined; readonly refusal: string };

/** Accounts of people whom another source authenticates. They are bound to its subjects, because usernames can be reassigned. */
export interface ExternalAccounts {
  /** Creates or updates the account. Refuses disabled accounts and a name that another account has. */
  admit(identity: ExternalIdentity, source: ExternalSource): Promise<Admission>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'users'>;
  readonly clock: Clock;
  readonly log: Log;
}

// In audit entries and logs: "by the directory".
const SOURCE_NAMES: Readonly<Record<ExternalSource['kind'], string>> = { ldap: 'directory' };

export function createExternalAccounts({ repositories, clock, log }: Deps): ExternalAccounts {
  const { users } = repositories;
  const refresh = createRefresh({ users, log });

  async function create(identity: ExternalIdentity, source: ExternalSource): Promise<UserRow | undefined> {
    const { subject, usernames, rights } = identity;
    const [username] = usernames;
    if (username === undefined) return undefined;
    const { is_admin = false, allowed_groups = [] } = rights;
    const created_at = clock.now().toISOString();
    return users.insertExternal(source, { subject, username, is_admin, allowed_groups, created_at });
  }

  return {
    async admit(identity, source) {
      const known = await users.bySubject(source, identity.subject);
      const created = known ? undefined : await create(identity, source);
      if (created) return { user: created, changed: [toChange(created, source, 'user_create')] };
      // A concurrent first sign-in may have created the account.
      const user = known ?? (await users.bySubject(source, identity.subject));
      const admitted = user?.disabled
        ? { user, changed: [] }
        : user && (await refresh(user, identity, source));
      if (!admitted)
        return { refusal: `the ${nameOf(source)} accepts it, but another account has this name` };
      return admitted.user.disabled ? { refusal: 'the account is disabled' } : admitted;
    },
  };
}

/** Brings name and rights of an account up to date. */
function createRefresh({ users, log }: Pick<Deps['repositories'], 'users'> & Pick<Deps, 'log'>) {
  /** False when the account keeps its name, for example because the new one is taken. */
  async function rename({ id, username }: UserRow, { usernames }: ExternalIdentity): Promise<boolean> {
    const [first] = usernames;
    if (first === undefined || usernames.map(toUsernameKey).includes(toUsernameKey(username))) return false;
    return users.rename(id, first);
  }

  /** False when the account stays an administrator because it is the last one. */
  async function setAdmin({ id, username }: UserRow, is_admin: boolean, by: string): Promise<boolean> {
    try {
      return (await users.update(id, { is_admin })) !== undefined;
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'last_admin')) throw error;
      log.warn({ username }, `The ${by} would demote the last enabled administrator, who stays one`);
      return false;
    }
  }

  async function refreshGroups(user: UserRow, { allowed_groups }: ExternalRights): Promise<boolean> {
    return allowed_groups !== undefined && (await users.update(user.id, { allowed_groups })) !== undefined;
  }

  /** Returns what has changed, for the audit log. */
  async function refreshFields(user: UserRow, identity: ExternalIdentity, by: string): Promise<string[]> {
    const { is_admin } = identity.rights;
    const is_set = is_admin !== undefined && (await setAdmin(user, is_admin, by));
    const is_renamed = await rename(user, identity);
    return [...(is_set ? [`is_admin: ${is_admin}`] : []), ...(is_renamed ? ['username'] : [])];
  }

  return async (user: UserRow, identity: ExternalIdentity, source: ExternalSource) => {
    const rights = differing(user, identity.rights);
    const changed: ExternalChange[] = [];
    if (await refreshGroups(user, rights)) changed.push(toChange(user, source, 'user_groups'));
    const fields = await refreshFields(user, { ...identity, rights }, nameOf(source));
    if (fields.length > 0) changed.push(toChange(user, source, 'user_update', fields));
    const now = changed.length > 0 ? await users.byId(user.id) : user;
    return now && { user: now, changed };
  };
}

function nameOf({ kind }: ExternalSource): string {
  return SOURCE_NAMES[kind];
}

/** Names the account as before the change. */
function toChange(
  user: UserRow,
  source: ExternalSource,
  action: ExternalChange['action'],
  fields: readonly string[] = [],
): ExternalChange {
  const which = fields.length > 0 ? `: ${fields.join(', ')}` : '';
  return { action, detail: `${userLabel(user)} by the ${nameOf(source)}${which}` };
}

/** Fields whose stored value differs from the source's. */
function differing(user: UserRow, { is_admin, allowed_groups }: ExternalRights): ExternalRights {
  const has_groups = allowed_groups?.join('\n') === [...user.allowed_groups].sort().join('\n');
  return {
    ...(is_admin === undefined || is_admin === user.is_admin ? {} : { is_admin }),
    ...(allowed_groups === undefined || has_groups ? {} : { allowed_groups }),
  };
}
