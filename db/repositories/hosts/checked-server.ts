import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { CheckedServer } from '#core/ports/repositories/hosts.ts';
import type { Tables } from '../../schema/schema.ts';

type Servers = Tables['servers'];

/** Whether the row still is what was checked before this statement. */
export function isAsChecked(servers: Servers, id: number, checked: CheckedServer): SQL | undefined {
  const { nothing_behind, ...fields } = checked;
  const same = Object.entries(fields).map(([name, value]) => {
    const column = servers[name as keyof typeof fields];
    return value === null ? isNull(column) : eq(column, value);
  });
  const behind = nothing_behind && sql`not ${hasExposedBehind(servers, id, nothing_behind)}`;
  return and(...same, behind);
}

/** A server with a stored credential that is reached through this one, over hops that no pin protects. */
function hasExposedBehind(servers: Servers, id: number, which: 'any' | 'unpinned'): SQL {
  const counts = which === 'any' ? sql`true` : sql`one.host_key is null`;
  return sql`exists (
    with recursive exposed (id) as (
      select one.id from ${servers} as one where one.jump_via_id = ${id} and ${counts}
      union
      select one.id from ${servers} as one join exposed on one.jump_via_id = exposed.id where ${counts}
    )
    select 1 from exposed join ${servers} as kept on kept.id = exposed.id
    where kept.password_sealed is not null or kept.private_key_sealed is not null
  )`;
}
