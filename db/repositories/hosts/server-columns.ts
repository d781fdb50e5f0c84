import { getTableColumns, inArray, type SQL } from 'drizzle-orm';
import type { VisibleGroups } from '#core/ports/repositories/hosts.ts';
import type { Tables } from '../../schema/schema.ts';

/** The columns of `ServerRow`; the table has further internal ones. */
export function serverColumns(servers: Tables['servers']) {
  const { import_ref, ...columns } = getTableColumns(servers);
  return columns;
}

export function withinGroups(servers: Tables['servers'], visible: VisibleGroups): SQL | undefined {
  return visible === 'all' ? undefined : inArray(servers.group, [...visible]);
}
