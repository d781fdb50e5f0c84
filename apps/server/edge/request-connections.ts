import { AsyncLocalStorage } from 'node:async_hooks';
import { Fault } from '#core/errors.ts';
import type { PostgresPool } from '#db/postgres-pool.ts';

const CLOSE_TIMEOUT_S = 5;

/** Keeps the platform's process alive until the work is done. */
export type WaitUntil = (work: Promise<unknown>) => void;

/** The database connections of an edge. */
export interface Connections {
  readonly pool: PostgresPool;
  /** Work that may outlast the response of the request that started it. */
  background(work: Promise<unknown>): void;
  /** Runs the work of one request. */
  run(waitUntil: WaitUntil, work: () => Promise<Response>): Promise<Response>;
}

/** For a process that serves many requests: they share the connections. */
export function keptConnections(pool: PostgresPool): Connections {
  return { pool, background: () => undefined, run: (_waitUntil, work) => work() };
}

interface Scope {
  readonly pool: PostgresPool;
  readonly background: Promise<unknown>[];
}

/**
 * For a platform on which what a request opens belongs to that request (Cloudflare), or which freezes the process between
 * requests (Lambda): each request connects when it first asks the database, and closes its connections afterwards.
 */
export function connectionsPerRequest(connect: () => PostgresPool): Connections {
  const scopes = new AsyncLocalStorage<Scope>();
  const current = () => {
    const scope = scopes.getStore();
    if (!scope) throw new Fault('internal', 'The database is reachable only within a request');
    return scope;
  };
  return {
    pool: { use: (deadline_ms, job) => current().pool.use(deadline_ms, job), close: async () => undefined },
    background: (work) => void current().background.push(work),
    async run(waitUntil, work) {
      const scope = { pool: connect(), background: [] };
      try {
        return await scopes.run(scope, work);
      } finally {
        waitUntil(end(scope));
      }
    },
  };
}

async function end({ pool, background }: Scope): Promise<void> {
  for (let left = background.splice(0); left.length > 0; left = background.splice(0))
    await Promise.allSettled(left);
  await pool.close(CLOSE_TIMEOUT_S);
}
