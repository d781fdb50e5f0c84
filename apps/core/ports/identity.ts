import type { DirectoryGroup } from '../policy/directory-groups.ts';

export interface PasswordHasher {
  /** Argon2id string with its parameters and salt. */
  hash(password: string): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
}

/** A person whose password the directory accepted. */
export interface DirectoryUser {
  /** Id of the directory entry, which survives renames. */
  readonly id: string;
  /** Names of the entry that are valid usernames, in the directory's spelling; at least one, the best first. */
  readonly usernames: readonly string[];
  /** Undefined when groups are not looked up. */
  readonly groups: readonly DirectoryGroup[] | undefined;
}

export interface Directory {
  /**
   * Undefined for an unknown name or a wrong password. Throws `directory_password_expired` when the password is right and
   * the directory wants a new one first, and other errors when no server of the directory answers.
   */
  authenticate(username: string, password: string): Promise<DirectoryUser | undefined>;
}
