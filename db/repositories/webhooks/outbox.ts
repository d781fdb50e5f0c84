import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { FiredEvent } from '#core/ports/repositories/webhooks.ts';
import { inChunks } from '../../query/chunks.ts';
import { CLOCKS } from '../../query/clocks.ts';
import { rowSource } from '../../query/row-source.ts';
import type { Store } from '../../store.ts';

export interface Fired {
  readonly event: string;
  readonly data: unknown;
  readonly fired_at: string;
  /** The id that a condition uses to find the row of the event. */
  readonly ref?: string | undefined;
}

/** Conditions on rows changed in the same transaction; may use the columns of `fired`. */
interface Subject {
  /** The id generated for a row. */
  readonly id?: SQL;
  readonly join?: SQL;
  /** Only events that meet this condition are delivered. */
  readonly where?: SQL;
  readonly lock?: SQL;
}

const NOTHING = sql``;

/**
 * Inserts deliveries of these events for each subscribed webhook; run it in the transaction that changes the data. Costs
 * next to nothing without webhooks.
 */
export function delivering(
  { dialect, tables }: Store,
  fired: readonly Fired[],
  { id = sql`null`, join = NOTHING, where = sql`true`, lock = NOTHING }: Subject = {},
): SQL[] {
  const { webhooks, webhook_deliveries: deliveries } = tables;
  const { now } = CLOCKS[dialect];
  // The lock waits for a webhook that is being deleted and skips it; otherwise its foreign key would fail the whole insert.
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
