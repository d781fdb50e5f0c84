import { foldDn } from '../lib/text/distinguished-name.ts';
import { fold } from '../lib/text/fold.ts';
import type { ExternalRights } from '../model/accounts/external-identity.ts';

/** A directory group that a user is a member of. */
export interface DirectoryGroup {
  readonly dn: string;
  /** Values of `cn`; they may contain anything, even text that looks like a DN. */
  readonly names: readonly string[];
}

export interface DirectoryGroupRules {
  /** Server groups by the name or DN of a directory group. */
  readonly group_map: Readonly<Record<string, readonly string[]>>;
  /** Directory groups whose members administer the gateway. */
  readonly admin_groups: readonly string[];
}

/** Rights that group membership grants; empty when groups are not looked up, so that stored rights stay. */
export function rightsOf(
  groups: readonly DirectoryGroup[] | undefined,
  { group_map, admin_groups }: DirectoryGroupRules,
): ExternalRights {
  if (!groups) return {};
  const names = new Set(groups.flatMap((group) => group.names.map((name) => fold(name))));
  const dns = new Set(groups.map(({ dn }) => foldDn(dn)));
  // Never both: a group name is easier to spoof than a DN.
  const isMember = (rule: string) => (rule.includes('=') ? dns.has(foldDn(rule)) : names.has(fold(rule)));
  const allowed = Object.entries(group_map).flatMap(([rule, granted]) => (isMember(rule) ? granted : []));
  return { is_admin: admin_groups.some(isMember), allowed_groups: [...new Set(allowed)].sort() };
}
