import { getTableColumns, or, type SQL, sql } from 'drizzle-orm';
import type { FiredEvent } from '#core/ports/repositories.ts';
import type { Store } from '../store.ts';
import { CLOCKS } from './clocks.ts';

interface Fired {
  readonly event: string;
  readonly data: unknown;
  readonly fired_at: string;
}

/** Of a row that is inserted in the same transaction; or only if the condition holds. */
interface Subject {
  readonly subject_id?: SQL;
  readonly from?: SQL;
  readonly where?: SQL;
}

/**
 * One delivery for each webhook that wants to hear of it, in one statement, so that it can be part of the transaction
 * that makes it true.
 */
export function delivering(store: Store, { event, data, fired_at }: Fired, subject: Subject = {}): SQL {
  const { dialect, tables } = store;
  const { webhooks, webhook_deliveries: deliveries } = tables;
  const { now } = CLOCKS[dialect];
  const { data: data_column, fired_at: instant } = getTableColumns(deliveries);
  const { subject_id = sql`null`, from, where = sql`true` } = subject;
  const wants = or(
    sql`${webhooks.subscription} like '%|*|%'`,
    sql`${webhooks.subscription} like ${`%|${event}|%`}`,
  );
  const at = sql`cast(${instant.mapToDriverValue(fired_at)} as ${sql.raw(instant.getSQLType())})`;
  const json = sql`cast(${data_column.mapToDriverValue(data)} as ${sql.raw(data_column.getSQLType())})`;
  return sql`insert into ${deliveries}
    (webhook_id, event, fired_at, subject_id, data, status, attempts, created_at, next_attempt_at)
    select ${webhooks.id}, ${event}, ${at}, cast(${subject_id} as integer), ${json}, 'pending', 0, ${now}, ${now}
    from ${webhooks} ${from ? sql`, ${from}` : sql``}
    where ${webhooks.enabled} and ${wants} and ${where}`;
}

export function deliveringAll(store: Store, events: readonly FiredEvent[]): SQL[] {
  return events.map(({ event, fired_at }) => delivering(store, { ...event, fired_at }));
}
