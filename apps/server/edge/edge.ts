import { createEdgeApp } from '#api/app.ts';
import type { Runtime } from '#api/http/env.ts';
import { meantMethod } from '#api/http/method-override.ts';
import { Fault } from '#core/errors.ts';
import { createDatabaseClock } from '#core/instances/database-clock.ts';
import type { Background, Log } from '#core/ports/runtime.ts';
import { createEdgeServices } from '#core/services.ts';
import { openPostgres } from '#db/open-postgres.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { systemClock } from '../adapters/clock.ts';

export interface EdgeOptions {
  /** `postgres://…`, the worker's own database. */
  readonly database_url: string;
  /** The worker's `SERVICE_SECRET_KEY`. */
  readonly secret_key: string;
  /** Origin of a gateway, which serves as the worker. */
  readonly worker_url: string;
  readonly version: string;
  readonly instance_id: string;
  readonly root_path?: string;
  readonly demo_mode?: boolean;
  /** The worker's `SERVICE_VERIFY_HOST_KEYS`, reported by `/api/health`. */
  readonly verify_host_keys?: boolean;
  /** The worker's `SERVICE_QUICK_CONNECT`. */
  readonly quick_connect?: boolean;
  readonly allowed_origins?: readonly string[];
  readonly log: Log;
  /** The header with the caller's address, set by the platform, such as `cf-connecting-ip`. */
  readonly address_header: string;
  /** Keeps the instance alive until the work is done, like a platform's `waitUntil`. */
  waitUntil(work: Promise<unknown>): void;
}

export interface Edge {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  close(): Promise<void>;
}

/** The gateway for a serverless platform: answers from the database and forwards everything that needs Node to a worker. */
export async function createEdge(options: EdgeOptions): Promise<Edge> {
  const store = openPostgres(options.database_url);
  const background = backgroundOf(options);
  const repositories = createRepositories(store);
  const clock = createDatabaseClock(systemClock, repositories.instances.time);
  background.run('compare the clock with the database', clock.measure());
  const ports = { repositories, clock, background };
  const services = await createEdgeServices(ports, options.secret_key);
  const { hono } = createEdgeApp({
    root_path: '',
    demo_mode: false,
    verify_host_keys: true,
    monitorRole: () => 'follower', // it reaches no host
    allowed_origins: [],
    ...options,
    quick_connect: () => options.quick_connect ?? true,
    services,
    runtime: platformRuntime(options.address_header),
    after: clock.after,
  });
  return { fetch: (request) => hono.fetch(asMeant(request)), close: () => store.close() };
}

function asMeant(request: Request): Request {
  const override = request.headers.get('x-http-method-override') ?? undefined;
  const method = meantMethod({ method: request.method, url: request.url, override });
  return method === request.method ? request : new Request(request, { method });
}

function backgroundOf({ log, waitUntil }: EdgeOptions): Background {
  return {
    run: (what, work) => waitUntil(work.catch((err) => log.error({ err, what }, 'Background work failed'))),
  };
}

/** File requests are forwarded to the worker with their bodies unread. */
function notHere(): never {
  throw new Fault('internal');
}

/** WebSockets reach the worker through a path rule or the upgrade pass-through of the platform. */
function platformRuntime(address_header: string): Runtime {
  return {
    remoteAddress: (c) => c.req.header(address_header) ?? '',
    isTrustedProxy: () => false,
    isUpgrade: () => false,
    inRequest: (_request_id, work) => work(),
    onGone: () => () => undefined,
    body: notHere,
    multipart: notHere,
    breakOff: () => undefined,
    upgrade: () => {
      throw new Fault('upgrade_required');
    },
    relay: notHere,
  };
}
