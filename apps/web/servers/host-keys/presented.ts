/** A host key that a connection was refused for. */
export interface PresentedKey {
  /** Type and base64, as in a `known_hosts` file. */
  readonly host_key: string;
  /** `SHA256:…`, as OpenSSH prints it. */
  readonly fingerprint: string;
}

/** What a refusal says about the key. Only its own fields are believed: its text contains names that people choose. */
export interface Refused {
  readonly presented_host_key?: string | undefined;
  readonly presented_fingerprint?: string | undefined;
}

export function presentedKey({
  presented_host_key: host_key,
  presented_fingerprint: fingerprint,
}: Refused): PresentedKey | undefined {
  return host_key !== undefined && fingerprint !== undefined ? { host_key, fingerprint } : undefined;
}
