import type postgres from 'postgres';
import { abortable, startDeadline, untilAborted } from '#core/lib/deadline.ts';
import { systemAfter } from '#core/lib/timers.ts';
import { ConnectionLost, NoAnswer } from './driver-errors.ts';

const POOL_SIZE = 10;

/** One connection, in the hands of one job at a time; the driver opens it again when it was lost. */
export interface Link {
  readonly sql: postgres.Sql;
  /** How often it was lost. */
  losses(): number;
}

export interface PostgresPool {
  /** Runs the job on a connection of its own; ends with `NoAnswer` at the deadline, the time in line included. */
  use<Result>(deadline_ms: number, job: (link: Link) => Promise<Result>): Promise<Result>;
  close(timeout_s: number): Promise<void>;
}

/**
 * The driver's own pool sends statements after each other down a connection that is dead and cannot give one up,
 * so each connection is a client by itself here.
 */
export function createPostgresPool(connect: () => Link): PostgresPool {
  const first = connect(); // does not connect yet, but tells whether the address can be read
  const links = new Set([first]);
  const idle = [first];
  const waiting = new Set<(link: Link) => void>();
  let closed = false;

  function open(): Link {
    const link = connect();
    links.add(link);
    return link;
  }

  // The last one used goes first, so that those which are not needed fall silent and close.
  const free = () => idle.pop() ?? (links.size < POOL_SIZE ? open() : undefined);

  function giveBack(link: Link): void {
    const [next] = waiting;
    if (!next) return void idle.push(link);
    waiting.delete(next);
    next(link);
  }

  /** Nobody listens to a late answer; what was sent to the server may have been carried out all the same. */
  function drop(link: Link): void {
    links.delete(link);
    void link.sql.end({ timeout: 0 });
    if (waiting.size > 0 && !closed) giveBack(open());
  }

  /** Whoever leaves the line at the deadline was not served, and is not served later. */
  async function turn(deadline: AbortSignal): Promise<Link> {
    const link = free();
    if (link) return link;
    return abortable(deadline, (resolve) => {
      waiting.add(resolve);
      return () => waiting.delete(resolve);
    });
  }

  return {
    async use(deadline_ms, job) {
      if (closed) throw new ConnectionLost('The database was closed');
      const error = () => new NoAnswer(deadline_ms);
      const deadline = startDeadline({ after: systemAfter, ms: deadline_ms, error });
      try {
        const link = await turn(deadline.signal);
        try {
          return await untilAborted(deadline.signal, job(link));
        } finally {
          deadline.signal.aborted ? drop(link) : giveBack(link);
        }
      } finally {
        deadline.cancel();
      }
    },

    async close(timeout) {
      closed = true;
      await Promise.all([...links].map(({ sql }) => sql.end({ timeout })));
    },
  };
}
