import { getTableColumns, inArray, type SQL } from 'drizzle-orm';
import type { VisibleGroups } from '#core/ports/repositories.ts';
import type { Tables } from '../../schema/schema.ts';

/** What `ServerRow` knows; the rest serves the database only. */
export function serverColumns(servers: Tables['servers']) {
  const { import_ref, ...columns } = getTableColumns(servers);
  return columns;
}

export function withinGroups(servers: Tables['servers'], visible: VisibleGroups): SQL | undefined {
  return visible === 'all' ? undefined : inArray(servers.group, [...visible]);
}
