/** The negotiated algorithms of one direction. */
export interface Direction {
  readonly cipher: string;
  /** Empty when the cipher authenticates itself. */
  readonly mac: string;
}

/**
 * The algorithm with which a man in the middle can delete the first messages unnoticed, unless the host starts each key
 * exchange with fresh sequence numbers (Terrapin, CVE-2023-48795).
 */
export function unsafeWithoutStrict(negotiated: {
  readonly cs: Direction;
  readonly sc: Direction;
}): string | undefined {
  for (const { cipher, mac } of [negotiated.cs, negotiated.sc]) {
    if (cipher === 'chacha20-poly1305@openssh.com') return cipher;
    if (cipher.endsWith('-cbc') && mac.includes('-etm@')) return `${cipher} with ${mac}`;
  }
  return undefined;
}
