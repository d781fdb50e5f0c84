/** A host key that a connection was refused for. */
export interface PresentedKey {
  /** As in a `known_hosts` file: type and base64. */
  readonly host_key: string;
  /** `SHA256:…`, as OpenSSH prints it. */
  readonly fingerprint: string;
}

/** The refused key; the refusal names its fingerprint only in its text. */
export function presentedKey(message: string, host_key: string | undefined): PresentedKey | undefined {
  const [fingerprint] = /SHA256:[A-Za-z0-9+/]{43}/.exec(message) ?? [];
  return host_key !== undefined && fingerprint !== undefined ? { host_key, fingerprint } : undefined;
}
