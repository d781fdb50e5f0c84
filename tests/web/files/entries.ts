import type { Entry } from '../../../apps/web/files/list/entries.ts';

/** A file in `/srv` by default. */
export function entry(name: string, rest: Partial<Entry> = {}): Entry {
  return {
    name,
    path: `/srv/${name}`,
    is_dir: false,
    is_symlink: false,
    link_target: null,
    size: 10,
    permissions: '-rw-r--r--',
    owner: '0',
    group: '0',
    modified: '2026-01-01T00:00:00Z',
    addressable: true,
    ...rest,
  };
}
