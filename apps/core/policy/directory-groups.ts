export interface DirectoryGroupRules {
  /** Groups of servers by the name or the DN of a directory group. */
  readonly group_map: Readonly<Record<string, readonly string[]>>;
  /** Directory groups whose members administer the gateway. */
  readonly admin_groups: readonly string[];
}

export interface DirectoryRights {
  readonly is_admin?: boolean;
  readonly allowed_groups?: string[];
}

/** What membership grants; nothing at all when groups are not looked up, so that what is stored stays. */
export function rightsOf(
  groups: readonly string[] | undefined,
  { group_map, admin_groups }: DirectoryGroupRules,
): DirectoryRights {
  if (!groups) return {};
  const member_of = new Set(groups.map(fold));
  const isMember = (group: string) => member_of.has(fold(group));
  const allowed = Object.entries(group_map).flatMap(([group, granted]) => (isMember(group) ? granted : []));
  return { is_admin: admin_groups.some(isMember), allowed_groups: [...new Set(allowed)].sort() };
}

/** Directories compare names without regard to case. */
function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
