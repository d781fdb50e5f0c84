import type { ConnectSocket } from '#api/http/forward.ts';
import { createKeyring } from '#core/crypto/keyring.ts';

import { connectPostgres } from '#db/open-postgres.ts';
import { parseEdgeConfig, unusedBindings } from '../config/edge-config.ts';
import { type Assets, serveAssets } from './asset-files.ts';
import { BUNDLE_VERSION } from './bundle-version.ts';
import { createConsoleLog } from './console-log.ts';
import { assembleEdge, type Edge } from './edge.ts';
import { edgeRuntime } from './edge-runtime.ts';
import { connectionsPerRequest } from './request-connections.ts';
import { startFailure } from './start-failure.ts';

const MOST_CONNECTIONS = 3; // a request may have six open connections, one of them to the worker

/** Variables and secrets named `SERVICE_…`, and: */
interface Bindings {
  /** A pool near the database, used instead of `SERVICE_DB_URL`. */
  readonly HYPERDRIVE?: { readonly connectionString: string };
  /** The built pages. */
  readonly ASSETS?: Assets;
}

interface Context {
  waitUntil(work: Promise<unknown>): void;
}

let edge: Edge | undefined;

/** Each request may find no edge yet and build one: none may wait for what another request awaits. */
async function edgeFor(bindings: Bindings): Promise<Edge> {
  if (edge) return edge;
  const { HYPERDRIVE, ASSETS } = bindings;
  const database = HYPERDRIVE ? { SERVICE_DB_URL: HYPERDRIVE.connectionString } : {};
  const config = parseEdgeConfig({ ...bindings, ...database });
  const log = createConsoleLog(config.log_level);
  const keyring = await createKeyring(config.secret_key);
  if (edge) return edge;
  for (const name of unusedBindings({ ...bindings })) log.warn({ name }, `An edge does not use ${name}`);
  edge = assembleEdge(keyring, {
    config,
    log,
    version: BUNDLE_VERSION,
    connections: connectionsPerRequest(() => connectPostgres(config.database_url, MOST_CONNECTIONS)),
    runtime: edgeRuntime((c) => c.req.header('cf-connecting-ip') ?? ''), // Cloudflare sets it, whatever the client sends
    connectSocket: passUpgrade,
    pages: ASSETS && serveAssets(ASSETS),
  });
  return edge;
}

/** The platform splices the client's socket with the one of the answer. */
const passUpgrade: ConnectSocket = (c, url, headers) => {
  const offered = c.req.header('sec-websocket-protocol');
  const protocol = offered === undefined ? {} : { 'sec-websocket-protocol': offered };
  return fetch(url, { headers: { ...headers, ...protocol, upgrade: 'websocket' } });
};

/** The platform compresses for the client, and would compress once more what already is. */
function uncompressed(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete('accept-encoding');
  return new Request(request, { headers });
}

async function fetchEdge(request: Request, bindings: Bindings, context: Context): Promise<Response> {
  try {
    const found = await edgeFor(bindings);
    return await found.fetch(uncompressed(request), { waitUntil: (work) => context.waitUntil(work) });
  } catch (err) {
    return startFailure(err);
  }
}

export default { fetch: fetchEdge };
