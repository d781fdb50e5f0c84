export interface PasswordHasher {
  /** An argon2id string with its parameters and salt. */
  hash(password: string): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
}

/** Somebody whom the directory knows and whose password it accepted. */
export interface DirectoryUser {
  /** As the directory spells it, whatever was typed. */
  readonly username: string;
  /** Names of the groups, by `cn` and by DN; undefined when groups are not looked up. */
  readonly groups: readonly string[] | undefined;
}

export interface Directory {
  /** Undefined for an unknown name and for a wrong password; throws when the directory cannot be asked. */
  authenticate(username: string, password: string): Promise<DirectoryUser | undefined>;
}
