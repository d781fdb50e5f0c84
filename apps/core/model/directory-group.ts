/** A group of which the directory says that somebody is a member. */
export interface DirectoryGroup {
  readonly dn: string;
  /** The values of `cn`: they may look like anything, a DN too. */
  readonly names: readonly string[];
}
