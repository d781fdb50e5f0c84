/** Where external accounts come from. */
export type ExternalSource = { readonly kind: 'ldap' };

/** A person whom a source has authenticated. */
export interface ExternalIdentity {
  /** Id at the source, which survives renames and is never reused. */
  readonly subject: string;
  /** Valid usernames, in the source's spelling; the best first. */
  readonly usernames: readonly string[];
  readonly rights: ExternalRights;
}

/** Rights that the source decides; an absent one stays as stored. */
export interface ExternalRights {
  readonly is_admin?: boolean;
  readonly allowed_groups?: string[];
}
