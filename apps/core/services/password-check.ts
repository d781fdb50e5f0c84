import { Fault } from '../errors.ts';
import { randomToken } from '../lib/bytes.ts';
import { Username, type UserRow } from '../model/user.ts';
import { type DirectoryGroupRules, rightsOf } from '../policy/directory-groups.ts';
import type { Directory, DirectoryUser, PasswordHasher } from '../ports/identity.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock, Log } from '../ports/runtime.ts';

/** What the log may say of a refusal; whoever asked learns only that it was one. */
export type Checked =
  | { readonly user: UserRow; readonly refusal?: undefined; readonly is_wrong?: undefined }
  /** `is_wrong` is false where nothing could be told. */
  | { readonly user?: undefined; readonly refusal: string; readonly is_wrong: boolean };

/** Names and passwords: the local account first, then the directory. */
export interface PasswordCheck {
  check(username: string, password: string): Promise<Checked>;
  /** Against the local hash alone. */
  matches(user: UserRow | undefined, password: string): Promise<boolean>;
}

export interface DirectoryAccess {
  readonly directory: Directory;
  readonly rules: DirectoryGroupRules;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'users'>;
  readonly hasher: PasswordHasher;
  /** Undefined where none is configured. */
  readonly directory_access: DirectoryAccess | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export function createPasswordCheck(deps: Deps): PasswordCheck {
  const { repositories, hasher, directory_access, clock, log } = deps;
  const { users } = repositories;
  const decoy = hasher.hash(randomToken());
  decoy.catch(() => undefined); // a failure shows where it is awaited

  /** An unknown name costs the same time as a wrong password: both verify one hash. */
  async function matches(user: UserRow | undefined, password: string): Promise<boolean> {
    const is_right = await hasher.verify(user?.password_hash ?? (await decoy), password);
    return is_right && typeof user?.password_hash === 'string';
  }

  async function ask({ directory }: DirectoryAccess, username: string, password: string) {
    try {
      return await directory.authenticate(username, password);
    } catch (err) {
      log.error({ err }, 'The directory cannot be asked; the sign-in is refused');
      return 'unavailable';
    }
  }

  async function admit({ rules }: DirectoryAccess, found: DirectoryUser): Promise<Checked> {
    const name = Username.safeParse(found.username);
    if (!name.success) return wrong('the directory gives a name that cannot be used');
    const user = await users.upsertFromDirectory({
      ...rightsOf(found.groups, rules),
      username: name.data,
      created_at: clock.now().toISOString(),
    });
    if (!user) return wrong('the directory accepts it, but a local account has this name');
    return user.disabled ? wrong('the account is disabled') : { user };
  }

  async function askDirectory(access: DirectoryAccess, username: string, password: string): Promise<Checked> {
    // RFC 4513 §5.1.2: a bind with an empty password succeeds for anybody.
    if (password === '') return wrong('empty password');
    if (!Username.safeParse(username).success) return wrong('no possible name');
    const found = await ask(access, username, password);
    if (found === 'unavailable') return { refusal: 'the directory cannot be asked', is_wrong: false };
    return found ? admit(access, found) : wrong('refused by the directory');
  }

  return {
    matches,
    async check(username, password) {
      const user = await users.byName(username);
      if (user && (await matches(user, password))) {
        return user.disabled ? wrong('the account is disabled') : { user };
      }
      if (!user) await matches(undefined, password);
      if (!directory_access) return wrong(user ? 'wrong password' : 'unknown name');
      return askDirectory(directory_access, username, password);
    },
  };
}

function wrong(refusal: string): Checked {
  return { refusal, is_wrong: true };
}

/** A directory's passwords are not ours to change. */
export function assertLocal(user: UserRow): void {
  if (user.source !== 'local') throw new Fault('directory_account');
}
