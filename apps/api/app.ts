import { cors } from 'hono/cors';
import type { EdgeServices } from '#core/edge-services.ts';
import { Fault } from '#core/errors.ts';
import type { After } from '#core/lib/time/timers.ts';
import { homeUnreachable } from '#core/recordings/homes.ts';
import type { Services } from '#core/service-types.ts';
import type { Elsewhere as SessionPlace } from '#core/terminals/homes.ts';
import { document as openApi, reference } from './contract/operations.ts';
import { WORKER_ROUTES } from './contract/routes.ts';
import { buildDocument } from './document.ts';
import { clientIp } from './http/client-ip.ts';
import { compressJson } from './http/compression.ts';
import { createElsewhere } from './http/elsewhere.ts';
import type { AppMiddleware, Runtime } from './http/env.ts';
import { type ConnectSocket, type Exchange, forward, forwardSocket } from './http/forward.ts';
import {
  assertOrigin,
  assertQueryIsText,
  createGates,
  refuseStrayUpgrades,
  refuseUnknown,
} from './http/gates.ts';
import { securityHeaders } from './http/headers.ts';
import { createRefuse, type RefuseLog } from './http/refuse.ts';
import { type AnsweredRequest, type RequestLog, requestLog } from './http/request-log.ts';
import { type RequestTracer, traceRequests } from './http/request-span.ts';
import { createHono, createRouter, type Router } from './http/router.ts';
import type { StreamLog } from './http/streamed-body.ts';
import { boundAnswers } from './http/turns.ts';
import { mountApiKeys } from './routes/accounts/api-keys.ts';
import { mountAuth } from './routes/accounts/auth.ts';
import { mountSessions } from './routes/accounts/sessions.ts';
import { mountUsers } from './routes/accounts/users.ts';
import { mountAgentChats } from './routes/agent/chats.ts';
import { mountAgentSettings } from './routes/agent/settings.ts';
import { mountAudit } from './routes/audit/audit.ts';
import { mountBackups } from './routes/backup.ts';
import { mountEmbedding } from './routes/embedding.ts';
import { mountArchives } from './routes/files/archives.ts';
import { mountFileChanges } from './routes/files/changes.ts';
import { mountFileDownloads } from './routes/files/downloads.ts';
import { mountFileUploads } from './routes/files/form-uploads.ts';
import { mountFiles } from './routes/files/listing.ts';
import { mountUploads } from './routes/files/resumable-uploads.ts';
import { mountServerImports } from './routes/hosts/imports.ts';
import { mountServerDirectory, mountServers } from './routes/hosts/servers.ts';
import { mountInstanceQuestions } from './routes/instances.ts';
import { mountServerEvents, mountServerStatuses } from './routes/monitor.ts';
import {
  type MetricsPage,
  mountArrival,
  mountConfig,
  mountHealth,
  mountOperatorMeta,
} from './routes/operations.ts';
import { mountOverview } from './routes/overview.ts';
import { mountRecordings } from './routes/recordings/recordings.ts';
import { mountBranding } from './routes/settings/branding.ts';
import { mountSettings } from './routes/settings/settings.ts';
import { mountSnippets } from './routes/snippets.ts';
import { mountTerminalSockets } from './routes/terminals/sockets.ts';
import { mountTerminals } from './routes/terminals/terminals.ts';
import { mountWebhooks } from './routes/webhooks.ts';

/** Response headers that a page of an allowed origin may read. */
const EXPOSED_HEADERS = [
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Location',
  'Retry-After',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Resumable',
  'Tus-Version',
  'Upload-Expires',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'X-Request-Id',
  'X-Total-Count',
  'X-Total-Count-Exact',
];

interface CommonOptions {
  readonly runtime: Runtime;
  readonly log: RequestLog & RefuseLog & StreamLog;
  readonly after: After;
  readonly version: string;
  readonly instance_id: string;
  /** Empty, or a prefix such as `/ssh`. */
  readonly root_path: string;
  readonly demo_mode: boolean;
  /** `SERVICE_VERIFY_HOST_KEYS`. */
  readonly verify_host_keys: boolean;
  /** `SERVICE_QUICK_CONNECT`, or what an administrator has set. */
  readonly quick_connect: () => boolean;
  readonly monitorRole: () => 'leader' | 'follower';
  /** Other origins that may use the API; asked for each request. */
  readonly allowed_origins: () => readonly string[];
  /** `SERVICE_METRICS_TOKEN`. */
  readonly metrics_token?: string | undefined;
  /** Called for each request when its response starts. */
  readonly watchRequest?: (request: AnsweredRequest) => void;
  readonly tracer?: RequestTracer | undefined;
  /** Origins that may frame the pages; asked for each request. */
  readonly frame_ancestors?: () => readonly string[];
}

export interface AppOptions extends CommonOptions {
  readonly services: Services;
  readonly metrics: MetricsPage;
  /** Throws a Fault while this instance should receive no requests. */
  readonly assertReady: () => Promise<void>;
  readonly clockSkewMs: () => number;
  /** True while only what ends or deletes something should be written. */
  readonly isDatabaseFull: () => boolean;
  /** `worker`: answers only what an edge forwards. */
  readonly role: 'gateway' | 'worker';
}

export interface EdgeOptions extends CommonOptions {
  readonly services: EdgeServices;
  /** Gateway that handles the operations that need Node. */
  readonly worker_url: string;
  /** Absent on a platform without WebSockets. */
  readonly connectSocket?: ConnectSocket | undefined;
  /** Absent: `fetch`. */
  readonly exchange?: Exchange | undefined;
}

/** The whole HTTP and WebSocket interface, as one function from request to response. */
export function createApp(options: AppOptions) {
  const { services, runtime, log, after } = options;
  return assemble({ ...options, run_digest: services.run_digest }, (router) => {
    mountAuth(router, services);
    mountSessions(router, services.sessions);
    mountApiKeys(router, services.api_keys);
    mountEmbedding(router, services.embedding);
    mountUsers(router, services.users);
    mountAudit(router, { audit: services.audit, runtime, after, log });
    mountServerEvents(router, { server_events: services.server_events, runtime, after, log });
    mountServerImports(router, services);
    mountServers(router, { ...services, runtime, after, log });
    mountFiles(router, { ...services, runtime });
    mountFileDownloads(router, { ...services, runtime, log });
    mountFileChanges(router, { ...services, runtime, after, log });
    mountArchives(router, { ...services, runtime, after, log });
    mountFileUploads(router, { ...services, runtime });
    mountUploads(router, { ...services, runtime });
    const relaying = { ...services, runtime, log, root_path: options.root_path };
    const recording_home = createElsewhere({ ...relaying, refused: homeUnreachable });
    mountRecordings(router, { ...services, elsewhere: recording_home, runtime, after, log });
    mountSnippets(router, services.snippets);
    mountWebhooks(router, services.webhooks);
    mountSettings(router, services.settings);
    mountBranding(router, services.branding);
    mountBackups(router, services.backups);
    mountOverview(router, services.overview);
    mountAgentSettings(router, { ...services, runtime });
    mountAgentChats(router, { ...services, runtime, after, log });
    mountOperatorMeta(router, { ...options, ...services });
    mountInstanceQuestions(router.hono, services.typed_answers);
    const elsewhere = createElsewhere<SessionPlace>({
      ...relaying,
      refused: (home) => services.session_homes.refused(home),
    });
    mountTerminals(router, { ...services, elsewhere });
    mountTerminalSockets(router, { ...services, elsewhere, runtime, after, log });
  });
}

/** The same interface without Node: answers from the database and forwards the rest verbatim. */
export function createEdgeApp(options: EdgeOptions) {
  const { worker_url, services, root_path, runtime, connectSocket, exchange } = options;
  const to = { worker_url, root_path, runtime, ...services };
  return assemble(options, (router) => {
    for (const route of WORKER_ROUTES) {
      router.pass(route, (c) => {
        if (connectSocket && route['x-websocket'] && c.req.header('upgrade') !== undefined) {
          assertOrigin(c, options);
          return forwardSocket(c, connectSocket, to);
        }
        return forward(c, { ...to, exchange, is_long: route['x-long'] === true });
      });
    }
  });
}

/** Without any other origin, a preflight is a request to an unknown route. */
function shareWith(allowed_origins: () => readonly string[]): AppMiddleware {
  const share = cors({
    origin: (origin) => (allowed_origins().includes(origin) ? origin : null),
    exposeHeaders: EXPOSED_HEADERS,
  });
  return async function shareWithOrigins(c, next) {
    return allowed_origins().length > 0 ? share(c, next) : next();
  };
}

function assemble(
  options: CommonOptions & { services: EdgeServices; run_digest?: string; role?: AppOptions['role'] },
  mountWorker: (router: Router) => void,
) {
  const { services, runtime, log, after, allowed_origins, role } = options;
  const missing = role === 'worker' ? 'worker_only' : 'route_not_found';
  const hono = createHono(options.root_path);
  const refuse = createRefuse(runtime, log, after);
  hono.onError(refuse);
  hono.notFound((c) => refuse(new Fault(missing), c));
  hono.use(requestLog({ log, runtime, watch: options.watchRequest }));
  if (options.tracer) hono.use(traceRequests(options.tracer, runtime));
  hono.use(boundAnswers(runtime));
  hono.use(clientIp(runtime, { ...services, ...options }), securityHeaders(runtime, options.frame_ancestors));
  hono.use(refuseStrayUpgrades(runtime));
  hono.use('/api/*', shareWith(allowed_origins));

  hono.use('/api/*', assertQueryIsText);

  const router = createRouter(createGates({ ...services, ...options }), hono);
  mountHealth(router, options);
  if (role !== 'worker') mountConfig(router, options);
  if (role !== 'worker') mountArrival(router, options);
  if (role !== 'worker') mountServerStatuses(router, services.server_statuses);
  mountWorker(router); // before the directory: `/api/servers/export` would match `/api/servers/{id}`
  if (role !== 'worker') mountServerDirectory(router, services.directory);

  // Built when somebody asks for it: it takes longer than all the rest of a start.
  let built: ReturnType<typeof buildDocument> | undefined;
  let text: string | undefined;
  const document = () => {
    built ??= buildDocument(hono, options);
    return built;
  };
  if (role !== 'worker') {
    router.describe(openApi);
    router.describe(reference); // served with the page
    hono.get('/openapi.json', compressJson, (c) => {
      text ??= JSON.stringify(document()); // anybody may ask for these 500 KB, as often as they like
      return c.body(text, 200, { 'Content-Type': 'application/json' });
    });
  }
  hono.all('/api/*', refuseUnknown({ ...services, ...options, missing }));
  return { hono, document };
}
