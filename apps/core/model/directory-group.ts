/** A directory group that a user is a member of. */
export interface DirectoryGroup {
  readonly dn: string;
  /** Values of `cn`; they may contain anything, even text that looks like a DN. */
  readonly names: readonly string[];
}
