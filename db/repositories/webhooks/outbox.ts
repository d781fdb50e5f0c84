import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { FiredEvent } from '#core/ports/repositories.ts';
import { inChunks } from '../../query/chunks.ts';
import { CLOCKS } from '../../query/clocks.ts';
import { rowSource } from '../../query/row-source.ts';
import type { Store } from '../../store.ts';

export interface Fired {
  readonly event: string;
  readonly data: unknown;
  readonly fired_at: string;
  /** By which a condition finds the row that it is about. */
  readonly ref?: string | undefined;
}

/** Of rows that are changed in the same transaction. They may name the columns of `fired`. */
interface Subject {
  /** What a row was given as its id. */
  readonly id?: SQL;
  readonly join?: SQL;
  /** Only events of which this holds are told. */
  readonly where?: SQL;
  readonly lock?: SQL;
}

const NOTHING = sql``;

/**
 * Deliveries of these events to each webhook that wants to hear of them, to be part of the transaction that makes them
 * true. Without webhooks they cost next to nothing.
 */
export function delivering(
  { dialect, tables }: Store,
  fired: readonly Fired[],
  { id = sql`null`, join = NOTHING, where = sql`true`, lock = NOTHING }: Subject = {},
): SQL[] {
  const { webhooks, webhook_deliveries: deliveries } = tables;
  const { now } = CLOCKS[dialect];
  // One that is being deleted is waited for and then left out: without the lock, its foreign key would fail all the rest.
  const kept = sql.raw(dialect === 'postgres' ? 'for key share of webhooks' : '');
  const { event, data, fired_at, last_error: ref } = getTableColumns(deliveries);
  const columns = { event, data, fired_at, ref };
  const wants = sql`(${webhooks.subscription} like '%|*|%' or ${webhooks.subscription} like '%|' || fired.event || '|%')`;
  return inChunks(fired).map(
    (part) => sql`insert into ${deliveries}
      (webhook_id, event, fired_at, subject_id, data, status, attempts, created_at, next_attempt_at)
      select ${webhooks.id}, fired.event, fired.fired_at, cast(${id} as integer), fired.data, 'pending', 0, ${now}, ${now}
      from ${webhooks} cross join (${rowSource(dialect, columns, part.map(withRef))}) as fired ${join}
      where ${webhooks.enabled} and ${wants} and ${where}
      order by fired.fired_at ${kept} ${lock}`,
  );
}

export function toFired({ event, fired_at }: FiredEvent): Fired {
  return { ...event, fired_at };
}

function withRef(fired: Fired): Required<Fired> {
  return { ref: undefined, ...fired };
}
