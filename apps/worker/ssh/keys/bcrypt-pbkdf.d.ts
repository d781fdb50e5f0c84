declare module 'bcrypt-pbkdf' {
  /** Fills `key`; returns 0 when it has. */
  export function pbkdf(
    passphrase: Uint8Array,
    passphrase_bytes: number,
    salt: Uint8Array,
    salt_bytes: number,
    key: Uint8Array,
    key_bytes: number,
    rounds: number,
  ): number;
}
