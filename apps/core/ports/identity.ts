import type { DirectoryGroup } from '../policy/directory-groups.ts';

export interface PasswordHasher {
  /** An argon2id string with its parameters and salt. */
  hash(password: string): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
}

/** Somebody whom the directory knows and whose password it accepted. */
export interface DirectoryUser {
  /** Of the entry, whatever it is called today. */
  readonly id: string;
  /** All names of the entry that are fit for an account, as the directory spells them; at least one, the best first. */
  readonly usernames: readonly string[];
  /** Undefined when groups are not looked up. */
  readonly groups: readonly DirectoryGroup[] | undefined;
}

export interface Directory {
  /** Undefined for an unknown name and for a wrong password; throws when the directory cannot be asked. */
  authenticate(username: string, password: string): Promise<DirectoryUser | undefined>;
}
