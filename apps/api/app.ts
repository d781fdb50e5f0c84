import { cors } from 'hono/cors';
import { Fault } from '#core/errors.ts';
import type { After } from '#core/lib/timers.ts';
import type { Services } from '#core/services/services.ts';
import { buildDocument } from './document.ts';
import { clientIp } from './http/client-ip.ts';
import type { Runtime } from './http/env.ts';
import { createGates, isWrite } from './http/gates.ts';
import { securityHeaders } from './http/headers.ts';
import { createRefuse, type RefuseLog } from './http/refuse.ts';
import { type RequestLog, requestLog } from './http/request-log.ts';
import { createHono, createRouter } from './http/router.ts';
import type { StreamLog } from './http/streamed-body.ts';
import { mountAuth } from './routes/auth.ts';
import { mountFiles } from './routes/files.ts';
import { mountMeta } from './routes/meta.ts';
import { mountServers, mountServerTest } from './routes/servers.ts';
import { mountTerminalSockets } from './routes/terminal-sockets.ts';

export interface AppOptions {
  readonly services: Services;
  readonly runtime: Runtime;
  readonly log: RequestLog & RefuseLog & StreamLog;
  readonly after: After;
  readonly version: string;
  readonly instance_id: string;
  /** Empty, or a prefix such as `/ssh`. */
  readonly root_path: string;
  readonly demo_mode: boolean;
  readonly allowed_origins: readonly string[];
}

/** The whole HTTP and WebSocket face as one function from request to response. */
export function createApp(options: AppOptions) {
  const { services, runtime, log, after, demo_mode, allowed_origins } = options;
  const hono = createHono(options.root_path);
  const refuse = createRefuse(runtime, log);
  hono.onError(refuse);
  hono.use(requestLog(log), clientIp(runtime), securityHeaders(runtime));
  if (allowed_origins.length > 0) hono.use('/api/*', cors({ origin: [...allowed_origins] }));

  const gates = createGates({ ...services, runtime, demo_mode, allowed_origins });
  const router = createRouter(gates, hono);
  mountMeta(router, options);
  mountAuth(router, services);
  mountServers(router, services.servers);
  mountServerTest(router, services.servers);
  mountFiles(router, { ...services, runtime, log });
  mountTerminalSockets(router, { terminals: services.terminals, runtime, after });

  const document = buildDocument(hono, options);
  hono.get('/openapi.json', (c) => c.json(document));
  hono.all('/api/*', (c) => {
    throw new Fault(demo_mode && isWrite(c) ? 'demo_mode' : 'route_not_found');
  });
  hono.notFound((c) => refuse(new Fault('route_not_found'), c));
  return { hono, document };
}
