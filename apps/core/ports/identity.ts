export interface PasswordHasher {
  /** An argon2id string with its parameters and salt. */
  hash(password: string): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
}
