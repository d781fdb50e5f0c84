import type { Runtime } from '#api/http/env.ts';
import type { ConnectSocket } from '#api/http/forward.ts';
import { createKeyring } from '#core/crypto/keyring.ts';
import { Fault } from '#core/errors.ts';
import type { Log } from '#core/ports/runtime.ts';
import { connectPostgres } from '#db/open-postgres.ts';
import { type Config, unknownVariables } from '../config/config.ts';
import { parseEdgeConfig, unusedBindings } from '../config/edge-config.ts';
import type { Gateway } from '../gateway.ts';
import { serveFolder } from '../http/folder-files.ts';
import { createRelays } from '../http/relay.ts';
import { createNodeRuntime } from '../http/runtime.ts';
import { systemClock } from '../lib/clock.ts';
import { readVersion } from '../version.ts';
import { WEB_DIR } from '../web-dir.ts';
import { assembleEdge } from './edge.ts';
import { createHop } from './hop.ts';
import { keptConnections } from './request-connections.ts';

const CLOSE_TIMEOUT_S = 5;

/** An edge as a process of its own, for example near its users, while its worker is near the hosts. */
export async function composeNodeEdge(
  config: Pick<Config, 'instance_id' | 'trusted_proxies'>,
  environment: Readonly<Record<string, string>>,
  log: Log,
): Promise<Gateway> {
  const edge_config = { ...parseEdgeConfig(environment), instance_id: config.instance_id };
  const unused = new Set(unusedBindings(environment));
  for (const name of unknownVariables(environment).filter((one) => unused.has(one)))
    log.warn({ name }, `Unknown variable ${name} is ignored`);
  const pool = connectPostgres(edge_config.database_url);
  const relays = createRelays();
  const hop = createHop();
  const runtime = createNodeRuntime(config.trusted_proxies, systemClock.after, relays);
  const edge = assembleEdge(await createKeyring(edge_config.secret_key), {
    config: edge_config,
    connections: keptConnections(pool),
    version: readVersion(),
    log,
    runtime,
    connectSocket: relayThrough(runtime),
    exchange: hop.exchange,
    pages: serveFolder(WEB_DIR),
  });
  return {
    fetch: (request, bindings) => edge.fetch(request, { bindings, waitUntil: () => undefined }),
    traffic: { watch: () => undefined, upgraded: () => undefined },
    bootstrap: async () => undefined, // its worker creates the administrator
    handOver: () => undefined,
    drain: relays.end,
    async close() {
      hop.close();
      await pool.close(CLOSE_TIMEOUT_S);
    },
  };
}

function relayThrough(runtime: Pick<Runtime, 'relay'>): ConnectSocket {
  return (c, url, headers) => {
    const to = new URL(url);
    to.protocol = url.protocol.replace('http', 'ws');
    return runtime.relay(c, to, { headers, whenRefused: () => new Fault('worker_unreachable') });
  };
}
