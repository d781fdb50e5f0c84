import { pause } from '#core/lib/time/deadline.ts';
import { systemAfter } from '#core/lib/time/timers.ts';
import { isCancelled, isConflict, isLost, isRefusal, isUndone, markUndone } from './driver-errors.ts';
import type { PostgresPool, Run } from './postgres-pool.ts';
import { inTransaction, type OpenTransaction } from './postgres-transaction.ts';

const MOST_ATTEMPTS = 6; // PostgreSQL takes a second to find a deadlock
const FIRST_PAUSE_MS = 10;
const LOOK_MS = 5_000; // how long the database is asked about a commit
const LOOK_PAUSE_MS = 50;

type Work<Result> = (tx: OpenTransaction, left_ms: number) => Promise<Result>;

/** A statement without parameters. */
type First = (left_ms: number) => string;

export interface PostgresWrites {
  /**
   * Runs a transaction, and again when others made the database roll it back. `left_ms` is what remains of the patience. What
   * `first` returns is sent with the begin, which saves a round trip.
   */
  repeated<Result>(patience_ms: number, work: Work<Result>, first?: First): Promise<Result>;
  /** Sends one statement, without the two that learn a lost outcome; repeats what was refused because of others. */
  alone<Result>(patience_ms: number, run: Run<Result>): Promise<Result>;
  /** In a single attempt, for work that does more than its statements. */
  once<Result>(patience_ms: number, work: Work<Result>): Promise<Result>;
}

/** Names a transaction and the backend that runs it. */
interface Mark {
  readonly xid: string;
  readonly pid: number;
}

/**
 * Learns the outcome of a write: when the answer to a commit is lost, it asks the database whether the transaction was
 * committed. An error for which `isUndone` holds means that nothing was written.
 */
export function createPostgresWrites(pool: PostgresPool): PostgresWrites {
  async function once<Result>(left_ms: number, work: Work<Result>, first?: First): Promise<Result> {
    const begin = [BEGIN_MARKED, first?.(left_ms) ?? []].flat().join('; ');
    let sent: { readonly mark: Mark; readonly result: Result } | undefined; // once the commit is on its way
    try {
      return await pool.use(left_ms, (link) =>
        inTransaction(link, begin, async (tx, begun) => {
          const result = await work(tx, left_ms);
          sent = { mark: toMark(begun), result };
          return result;
        }),
      );
    } catch (error) {
      if (!sent || isRefusal(error)) throw markUndone(error);
      if (!isLost(error)) throw error;
      const status = await statusOf(pool, sent.mark);
      if (status === 'committed') return sent.result;
      throw status === 'aborted' ? markUndone(error) : error;
    }
  }

  async function send<Result>(left_ms: number, run: Run<Result>): Promise<Result> {
    try {
      return await pool.use(left_ms, (link) => link.run(run));
    } catch (error) {
      throw isRefusal(error) ? markUndone(error) : error;
    }
  }

  return {
    once,
    repeated: (patience_ms, work, first) =>
      despiteOthers(patience_ms, (left_ms) => once(left_ms, work, first)),
    alone: (patience_ms, run) => despiteOthers(patience_ms, (left_ms) => send(left_ms, run)),
  };
}

/** Repeats what was rolled back because of others; `left_ms` is what remains of the patience. */
async function despiteOthers<Result>(
  patience_ms: number,
  attempt: (left_ms: number) => Promise<Result>,
): Promise<Result> {
  const until = performance.now() + patience_ms;
  for (let attempts = 1; ; attempts += 1) {
    const start = performance.now();
    const left_ms = Math.max(1, Math.round(until - start));
    try {
      return await attempt(left_ms);
    } catch (error) {
      const is_early = performance.now() - start < left_ms / 2; // later, a cancelled statement has met its own timeout
      const is_worth = isUndone(error) && isPassing(error, is_early);
      if (!is_worth || attempts === MOST_ATTEMPTS || performance.now() > until) throw error;
    }
    await pause(systemAfter, jittered(FIRST_PAUSE_MS * 2 ** (attempts - 1)));
  }
}

function isPassing(error: unknown, is_early: boolean): boolean {
  return isConflict(error) || (is_early && (isCancelled(error) || isLost(error)));
}

const BEGIN_MARKED = 'begin; select txid_current()::text as xid, pg_backend_pid() as pid';

/** Guarantee: `begun` begins with one result for each statement of `BEGIN_MARKED`. */
function toMark(begun: unknown): Mark {
  const [, [mark]] = begun as [unknown, [Mark]];
  return mark;
}

/** Undefined if the database does not say. */
async function statusOf(
  pool: PostgresPool,
  { xid, pid }: Mark,
): Promise<'committed' | 'aborted' | undefined> {
  const ask: Run<{ status: string | null }[]> = (client) =>
    client.unsafe('select txid_status($1::text::bigint) as status', [xid]);
  const short_xid = String(BigInt(xid) % 2n ** 32n);
  // Its backend may wait for a client that is gone.
  const end: Run<unknown> = (client) =>
    client.unsafe(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid = $1::int and backend_xid::text = $2::text',
      [pid, short_xid],
    );
  const until = performance.now() + LOOK_MS;
  while (performance.now() < until) {
    const [row] = await pool.use(LOOK_MS, (link) => link.run(ask)).catch(() => []);
    if (row?.status === 'committed' || row?.status === 'aborted') return row.status;
    if (row?.status === 'in progress')
      await pool.use(LOOK_MS, (link) => link.run(end)).catch(() => undefined);
    await pause(systemAfter, LOOK_PAUSE_MS);
  }
  return undefined;
}

/** Two instances do not stay in step. */
function jittered(pause_ms: number): number {
  return pause_ms * (0.5 + Math.random() / 2);
}
