import type { GatewayClient, Schemas } from '#client/client.ts';
import { take } from '#client/client.ts';
import { compareNaturally } from '../../lib/match/natural.ts';

export type Entry = Schemas['DirectoryEntry'];
export const COLUMNS = ['name', 'size', 'modified', 'owner', 'group', 'permissions'] as const;
export type Column = (typeof COLUMNS)[number];

export interface Order {
  readonly column: Column;
  readonly descending: boolean;
}

/** Where a tab starts by default. */
export function homeQuery(client: GatewayClient, server_id: number) {
  return {
    queryKey: ['home', server_id],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      take(client.http.GET('/api/files/{server_id}/home', { params: { path: { server_id } }, signal })),
    retry: false,
  };
}

export function listingQuery(client: GatewayClient, server_id: number, path: string) {
  return {
    queryKey: ['listing', server_id, path],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      take(
        client.http.GET('/api/files/{server_id}/ls', {
          params: { path: { server_id }, query: { path } },
          signal,
        }),
      ),
    retry: false,
  };
}

/** Sizes of the plain files among these, by path. */
export function sizesOf(entries: readonly Entry[]): ReadonlyMap<string, number> {
  const plain = entries.filter(({ is_dir, is_symlink }) => !is_dir && !is_symlink);
  return new Map(plain.map(({ path, size }) => [path, size]));
}

export function nextOrder(order: Order, column: Column): Order {
  return order.column === column
    ? { column, descending: !order.descending }
    : { column, descending: column === 'size' || column === 'modified' };
}

/** Entries whose name contains the text, ignoring case. */
export function filtered(entries: readonly Entry[], text: string): readonly Entry[] {
  const wanted = text.trim().toLowerCase();
  return wanted === '' ? entries : entries.filter(({ name }) => name.toLowerCase().includes(wanted));
}

/** Directories come first in either direction. */
export function arrange(entries: readonly Entry[], order: Order, hidden: boolean): Entry[] {
  const shown = hidden ? [...entries] : entries.filter(({ name }) => !name.startsWith('.'));
  const sign = order.descending ? -1 : 1;
  return shown.sort(
    (a, b) =>
      Number(b.is_dir) - Number(a.is_dir) ||
      sign * compare(a, b, order.column) ||
      compareNaturally(a.name, b.name),
  );
}

function compare(a: Entry, b: Entry, column: Column): number {
  switch (column) {
    case 'name':
      return compareNaturally(a.name, b.name);
    case 'size':
      return a.is_dir ? 0 : a.size - b.size;
    case 'modified':
      return a.modified < b.modified ? -1 : Number(a.modified > b.modified);
    case 'owner':
    case 'group':
      return Number(a[column]) - Number(b[column]);
    case 'permissions':
      return a.permissions < b.permissions ? -1 : Number(a.permissions > b.permissions);
  }
}

/** The next name with the typed prefix, starting at the cursor and wrapping around. */
export function findByPrefix(
  entries: readonly Pick<Entry, 'name'>[],
  typed: string,
  from: number,
): number | undefined {
  const wanted = typed.toLowerCase();
  for (let step = 0; step < entries.length; step += 1) {
    const at = (from + step) % entries.length;
    if (entries[at]?.name.toLowerCase().startsWith(wanted)) return at;
  }
  return undefined;
}
