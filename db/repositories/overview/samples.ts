import { and, type Column, count, eq, gte, isNotNull, lt, type SQL, sql } from 'drizzle-orm';
import { isPostQuantum } from '#core/model/hosts/hop-connection.ts';
import { COUNTERS, GAUGES } from '#core/model/overview.ts';
import type { SampleRepository } from '#core/ports/repositories/overview.ts';
import type { Dialect, Store } from '../../store.ts';
import { isKnown } from '../instances/known.ts';

export function createSampleRepository(store: Store): SampleRepository {
  return { ...createPresent(store), ...createPast(store), ...createWriting(store) };
}

type Present = Pick<SampleRepository, 'present'>;
type Past = Pick<SampleRepository, 'merged'>;
type Writing = Omit<SampleRepository, keyof Present | keyof Past>;

function createPresent(store: Store): Present {
  const { db, tables } = store;
  const { servers, server_statuses: statuses, terminal_sessions: terminals, users } = tables;
  const state = sql<string>`coalesce(${statuses.status}, 'unchecked')`;
  const is_open = and(
    isNotNull(terminals.started_at),
    eq(terminals.over, false),
    isKnown(store, terminals.run_id),
  );

  return {
    async present() {
      const states = await db
        .select({ state, servers: count() })
        .from(servers)
        .leftJoin(statuses, eq(statuses.server_id, servers.id))
        .groupBy(state);
      const of = (name: string) => states.find((row) => row.state === name)?.servers ?? 0;
      const exchanges = await db
        .select({ key_exchange: servers.key_exchange, servers: count() })
        .from(servers)
        .where(isNotNull(servers.key_exchange))
        .groupBy(servers.key_exchange);
      const [open] = await db.select({ terminals: count() }).from(terminals).where(is_open);
      const [known] = await db.select({ users: count() }).from(users);
      return {
        servers_online: of('online'),
        servers_offline: of('offline'),
        servers_unchecked: of('unchecked'),
        sessions: open?.terminals ?? 0,
        users: known?.users ?? 0,
        exchanges: {
          connected: sumOf(exchanges),
          post_quantum: sumOf(exchanges.filter(({ key_exchange }) => isPostQuantum(key_exchange ?? ''))),
        },
      };
    },
  };
}

function sumOf(counts: readonly { readonly servers: number }[]): number {
  return counts.reduce((sum, { servers }) => sum + servers, 0);
}

interface Merging {
  /** The number of steps from the epoch to an instant. */
  step(at: Column, step_s: SQL): SQL;
  /** The value of the latest sample. */
  last(value: Column, at: Column): SQL;
}

/** One window function would work on both, but take four times as long on SQLite. */
const MERGING: Record<Dialect, Merging> = {
  sqlite: {
    step: (at, step_s) => sql`unixepoch(${at}) / ${step_s}`,
    // SQLite takes plain columns from the row with the maximum if `max` is selected.
    last: (value) => sql`${value}`,
  },
  postgres: {
    step: (at, step_s) => sql`cast(floor(extract(epoch from ${at}) / ${step_s}) as integer)`,
    last: (value, at) => sql`(array_agg(${value} order by ${at} desc))[1]`,
  },
};

function createPast({ db, dialect, tables: { samples } }: Store): Past {
  const { step: stepOf, last } = MERGING[dialect];

  return {
    merged(since, step_s) {
      const step = stepOf(samples.at, sql.raw(String(Math.trunc(step_s))));
      return db
        .select({
          step: step.mapWith(Number),
          metric: samples.metric,
          sum: sql`sum(${samples.value})`.mapWith(Number),
          last: last(samples.value, samples.at).mapWith(Number),
          latest: sql`max(${samples.at})`,
        })
        .from(samples)
        .where(gte(samples.at, since))
        .groupBy(step, samples.metric);
    },
  };
}

function createWriting({ db, batch, tables: { samples } }: Store): Writing {
  const target = [samples.at, samples.metric];
  const taken = sql`excluded.value`;

  return {
    async record(at, { set, add }) {
      // Always in the same order, so that two instances do not deadlock.
      const gauges = GAUGES.map((metric) => ({ at, metric, value: set[metric] }));
      const counters = COUNTERS.map((metric) => ({ at, metric, value: add[metric] }));
      await batch((on) => [
        on
          .insert(samples)
          .values(gauges)
          .onConflictDoUpdate({ target, set: { value: taken } }),
        on
          .insert(samples)
          .values(counters)
          .onConflictDoUpdate({ target, set: { value: sql`${samples.value} + ${taken}` } }),
      ]);
    },

    async removeOlder(before) {
      await db.delete(samples).where(lt(samples.at, before));
    },
  };
}
