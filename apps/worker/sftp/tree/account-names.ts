import type { AccountNames } from '#core/ports/files.ts';
import type { Listed } from '../protocol/read-directory.ts';

const MOST_NAMES = 1000; // of each kind; a hostile host could invent one for every entry

/** `ls -l` as OpenSSH and others write it: mode, links, owner, group, size. A name with a space is ambiguous. */
const LINE = /^\S{10,11}\s+\d+\s+([^\p{C}\s]{1,64})\s+([^\p{C}\s]{1,64})\s+(\d+)\s/u;

/** Adds the owner and group names of an entry, if the host reports them. */
export function collectNames(
  { users, groups }: AccountNames,
  { line, attrs }: Pick<Listed, 'line' | 'attrs'>,
): void {
  const { uid, gid, size } = attrs;
  const [user, group] = [String(uid), String(gid)];
  if (users.has(user) && groups.has(group)) return;
  if (users.size >= MOST_NAMES || groups.size >= MOST_NAMES) return;
  const [, owner = '', owning_group = '', listed_size] = LINE.exec(utf8(line)) ?? [];
  if (listed_size !== String(size)) return; // another form, in which these words mean something else
  if (!users.has(user)) users.set(user, owner);
  if (!groups.has(group)) groups.set(group, owning_group);
}

function utf8(line: string): string {
  return Buffer.from(line, 'latin1').toString();
}
