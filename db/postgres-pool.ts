import type postgres from 'postgres';
import { abortable, startDeadline, untilAborted, withDeadline } from '#core/lib/time/deadline.ts';
import { systemAfter } from '#core/lib/time/timers.ts';
import { createBreaker } from './breaker.ts';
import { DatabaseClosed, isUnanswered, NoAnswer } from './driver-errors.ts';

const POOL_SIZE = 10;
const PROBE_MS = 2000;

export type Run<Result> = (client: postgres.Sql) => PromiseLike<Result>;

/** One connection, used by one job at a time; the driver reopens it after a loss. */
export interface Link {
  run<Result>(statement: Run<Result>): Promise<Result>;
  /** How often the connection was lost. */
  losses(): number;
  /** True after a failed statement: the driver would count its rows with those of the next one. */
  is_spoiled(): boolean;
  end(timeout_s: number): Promise<void>;
}

export interface PostgresPool {
  /**
   * Runs the job on a connection of its own; fails with `NoAnswer` at the deadline, which includes the wait for a
   * connection, and at once while the database is known to answer nothing.
   */
  use<Result>(deadline_ms: number, job: (link: Link) => Promise<Result>): Promise<Result>;
  close(timeout_s: number): Promise<void>;
}

/**
 * The driver's own pool keeps sending statements over a dead connection and cannot discard one, so every connection here
 * is a driver client of its own.
 */
export function createPostgresPool(connect: () => Link, most = POOL_SIZE): PostgresPool {
  const first = connect(); // does not connect yet, but fails for a malformed address
  const links = new Set([first]);
  const idle = [first];
  const waiting = new Set<(link: Link) => void>();
  const breaker = createBreaker(answers);
  let closed = false;

  function open(): Link {
    const link = connect();
    links.add(link);
    return link;
  }

  // Most recently used first, so that surplus connections become idle and close.
  const free = () => idle.pop() ?? (links.size < most ? open() : undefined);

  function giveBack(link: Link): void {
    const [next] = waiting;
    if (!next) return void idle.push(link);
    waiting.delete(next);
    next(link);
  }

  /** Discards a spoiled connection, or one with a pending statement, which the server may still execute. */
  function drop(link: Link): void {
    links.delete(link);
    void link.end(0);
    if (waiting.size > 0 && !closed) giveBack(open());
  }

  /** Waits for a connection; a caller that reaches its deadline leaves the queue. */
  async function turn(deadline: AbortSignal): Promise<Link> {
    const link = free();
    if (link) return link;
    return abortable(deadline, (resolve) => {
      waiting.add(resolve);
      return () => waiting.delete(resolve);
    });
  }

  /** A connection of its own, because the others may wait for locks. An answer may be an error. */
  async function answers(): Promise<boolean> {
    const link = connect();
    const asked = link.run((client) => client.unsafe('select 1'));
    const error = () => new NoAnswer(PROBE_MS);
    try {
      await withDeadline(asked, { after: systemAfter, ms: PROBE_MS, error });
      return true;
    } catch (failure) {
      return !isUnanswered(failure);
    } finally {
      void link.end(0);
    }
  }

  return {
    async use(deadline_ms, job) {
      if (closed) throw new DatabaseClosed('The database was closed');
      if (breaker.isOpen()) throw new NoAnswer();
      const error = () => new NoAnswer(deadline_ms);
      const deadline = startDeadline({ after: systemAfter, ms: deadline_ms, error });
      const unwatch = breaker.watch();
      try {
        const link = await turn(deadline.signal);
        try {
          return await untilAborted(deadline.signal, job(link));
        } finally {
          deadline.signal.aborted || link.is_spoiled() ? drop(link) : giveBack(link);
        }
      } finally {
        unwatch();
        deadline.cancel();
      }
    },

    async close(timeout) {
      closed = true;
      breaker.stop();
      await Promise.all([...links].map((link) => link.end(timeout)));
    },
  };
}
