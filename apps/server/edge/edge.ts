import { createEdgeApp } from '#api/app.ts';
import type { Runtime } from '#api/http/env.ts';
import type { ConnectSocket, Exchange } from '#api/http/forward.ts';
import { meantMethod } from '#api/http/method-override.ts';
import { createKeyring, type Keyring } from '#core/crypto/keyring.ts';
import { createEdgeServices } from '#core/edge-services.ts';
import { createDatabaseClock, type DatabaseClock } from '#core/instances/database-clock.ts';
import type { Background, Log } from '#core/ports/runtime.ts';
import { storeOver } from '#db/open-postgres.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { EdgeConfig } from '../config/edge-config.ts';
import { mountStaticUi, type ServeFiles } from '../http/static-ui.ts';
import { systemClock } from '../lib/clock.ts';
import type { Connections, WaitUntil } from './request-connections.ts';

const CLOCK_CHECK_MS = 10 * 60_000;

export interface EdgeOptions {
  readonly config: Omit<EdgeConfig, 'database_url' | 'secret_key' | 'log_level'>;
  readonly connections: Connections;
  readonly version: string;
  readonly log: Log;
  readonly runtime: Runtime;
  /** Absent on a platform without WebSockets. */
  readonly connectSocket?: ConnectSocket | undefined;
  /** Absent: `fetch`. */
  readonly exchange?: Exchange | undefined;
  /** The built pages; absent where something else serves them. */
  readonly pages?: ServeFiles | undefined;
}

/** What the platform passes along with a request. */
export interface Call {
  readonly waitUntil: WaitUntil;
  readonly bindings?: unknown;
}

export interface Edge {
  fetch(request: Request, call: Call): Promise<Response>;
}

/** The gateway for a serverless platform: answers from the database and forwards everything that needs Node to a worker. */
export async function createEdge({ secret_key, ...options }: EdgeOptions & { readonly secret_key: string }) {
  return assembleEdge(await createKeyring(secret_key), options);
}

/** Built once, for all requests: it takes longer than most of them. It opens nothing and waits for nothing. */
export function assembleEdge(keyring: Keyring, options: EdgeOptions): Edge {
  const { config, connections, version, log, runtime, connectSocket, exchange, pages } = options;
  const background = backgroundOf(options);
  const repositories = createRepositories(storeOver(connections.pool));
  const clock = createDatabaseClock(systemClock, repositories.instances.time);
  const services = createEdgeServices({ repositories, clock, background }, keyring, config);
  const sites = {
    allowed_origins: () => config.allowed_origins,
    frame_ancestors: () => config.frame_ancestors,
  };
  const { hono } = createEdgeApp({
    ...config,
    ...sites,
    services,
    version,
    log,
    connectSocket,
    exchange,
    runtime,
    after: clock.after,
    quick_connect: () => config.quick_connect,
    monitorRole: () => 'follower', // it reaches no host
  });
  if (pages) mountStaticUi(hono, { ...config, ...sites, serve: pages });
  const checkClock = clockCheck(clock, background);
  return {
    fetch: (request, { bindings, waitUntil }) =>
      connections.run(waitUntil, async () => {
        checkClock();
        return await hono.fetch(asMeant(request), bindings);
      }),
  };
}

/** Compares the clock with the database beside a request, now and then. */
function clockCheck(clock: DatabaseClock, background: Background): () => void {
  let checked_ms = Number.NEGATIVE_INFINITY;
  return () => {
    const now_ms = clock.elapsed_ms();
    if (now_ms - checked_ms < CLOCK_CHECK_MS) return;
    checked_ms = now_ms;
    background.run('compare the clock with the database', clock.measure());
  };
}

function asMeant(request: Request): Request {
  const override = request.headers.get('x-http-method-override') ?? undefined;
  const method = meantMethod({ method: request.method, url: request.url, override });
  return method === request.method ? request : new Request(request, { method });
}

function backgroundOf({ connections, log }: Pick<EdgeOptions, 'connections' | 'log'>): Background {
  return {
    run: (what, work) =>
      connections.background(work.catch((err) => log.error({ err, what }, 'Background work failed'))),
  };
}
