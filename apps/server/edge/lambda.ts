import { fileURLToPath } from 'node:url';
import { type Context, Hono } from 'hono';
import { handle, type LambdaEvent, streamHandle } from 'hono/aws-lambda';
import type { AppContext } from '#api/http/env.ts';
import { connectPostgres } from '#db/open-postgres.ts';
import { parseEdgeConfig, unusedBindings } from '../config/edge-config.ts';
import { readEnvironment } from '../config/environment.ts';
import { serveFolder } from '../http/folder-files.ts';
import { BUNDLE_VERSION } from './bundle-version.ts';
import { createConsoleLog } from './console-log.ts';
import { createEdge, type Edge } from './edge.ts';
import { edgeRuntime } from './edge-runtime.ts';
import { connectionsPerRequest } from './request-connections.ts';
import { startFailure } from './start-failure.ts';

const PAGES = fileURLToPath(new URL('../web', import.meta.url)); // beside the folder of the bundle, also in its archive

interface Bindings {
  readonly requestContext: LambdaEvent['requestContext'];
}

let edge: Edge | undefined;

async function openEdge(): Promise<Edge> {
  const environment = readEnvironment();
  const config = parseEdgeConfig(environment);
  const log = createConsoleLog(config.log_level);
  for (const name of unusedBindings(environment)) log.warn({ name }, `An edge does not use ${name}`);
  return createEdge({
    config,
    secret_key: config.secret_key,
    // Lambda freezes the process between requests; a connection that ends then goes unnoticed.
    connections: connectionsPerRequest(() => connectPostgres(config.database_url)),
    version: BUNDLE_VERSION,
    log,
    runtime: edgeRuntime(sourceAddress),
    pages: serveFolder(PAGES),
  });
}

/** From the event's context, which API Gateway and function URLs fill in; a client cannot. */
function sourceAddress(c: AppContext): string {
  const context = bindingsOf(c).requestContext;
  if ('http' in context) return context.http.sourceIp;
  return 'identity' in context && context.identity !== undefined && 'sourceIp' in context.identity
    ? context.identity.sourceIp
    : '';
}

/** `fetchEdge` passes them on. */
function bindingsOf(c: unknown): Bindings {
  return (c as Context<{ Bindings: Bindings }>).env;
}

async function fetchEdge(c: Context<{ Bindings: Bindings }>): Promise<Response> {
  try {
    edge ??= await openEdge();
    const unfinished: Promise<unknown>[] = [];
    const waitUntil = (work: Promise<unknown>) => void unfinished.push(work);
    const response = await edge.fetch(c.req.raw, { bindings: c.env, waitUntil });
    await Promise.allSettled(unfinished); // after the response, the process may be frozen at once
    return response;
  } catch (err) {
    return startFailure(err);
  }
}

const app = new Hono<{ Bindings: Bindings }>().all('*', fetchEdge);

/** For API Gateway, and for a function URL that does not stream. */
export const handler = handle(app);

/** For a function URL with the invoke mode RESPONSE_STREAM; Lambda's own runtime provides what it needs. */
export const streamingHandler: ReturnType<typeof streamHandle> =
  'awslambda' in globalThis ? streamHandle(app) : handler;
