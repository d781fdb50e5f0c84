import { OpenAPIHono, type RouteHandler } from '@hono/zod-openapi';
import { Fault, type FieldError } from '#core/errors.ts';
import { truncateUtf8 } from '#core/lib/text/printable.ts';
import type { AppRoute } from '../contract/app-route.ts';
import { compression } from './compression.ts';
import type { AppContext, AppEnv } from './env.ts';
import type { Gates } from './gates.ts';

/** The only way to add a contract route: it always runs behind its gates. */
export interface Router {
  readonly hono: OpenAPIHono<AppEnv>;
  on<R extends AppRoute>(route: R, handler: RouteHandler<R, AppEnv>): void;
  /** Documents an operation that needs no handler of its own, such as HEAD, which the handler of GET answers. */
  describe(route: AppRoute): void;
  /** Documents a route that is forwarded; the worker applies its gates. */
  pass(route: AppRoute, forwarder: (c: AppContext) => Promise<Response>): void;
}

export function createRouter(gates: Gates, hono: OpenAPIHono<AppEnv>): Router {
  return {
    hono,
    on(route, handler) {
      hono.openapi({ ...route, middleware: [...gates(route), ...compression(route)] }, widened(handler));
    },
    describe(route) {
      hono.openAPIRegistry.registerPath(route);
    },
    pass(route, forwarder) {
      hono.openAPIRegistry.registerPath(route);
      const path = route.path.replace(/\{(\w+)\}/g, ':$1');
      const method = route.method.toUpperCase();
      for (const middleware of compression(route)) hono.on(method, path, middleware);
      hono.on(method, path, (c) => {
        c.set('route', route.path);
        c.set('turn', route['x-turn'] ?? 'answer'); // bounds how long its client may read the answer
        return forwarder(c);
      });
    },
  };
}

/** Adding `middleware` makes the compiler lose the type of the handler. */
// biome-ignore lint/suspicious/noExplicitAny: the pair of route and handler was checked by `on`
function widened(handler: unknown): any {
  return handler;
}

/** The application's Hono, with validation failures as Faults. */
export function createHono(root_path: string): OpenAPIHono<AppEnv> {
  return new OpenAPIHono<AppEnv>({
    strict: true,
    getPath: (request) => withoutPrefix(pathOf(request.url), root_path),
    defaultHook: (result) => {
      if (!result.success) throw validationFault(result.error.issues);
    },
  });
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** Unknown keys of a strict object. */
  readonly keys?: readonly string[];
}

const MOST_ERRORS = 20; // an answer must not be much longer than its request
const MOST_PATH_BYTES = 200; // it may contain keys of the request

function validationFault(issues: readonly Issue[]): Fault {
  const errors = issues.slice(0, MOST_ERRORS).map(fieldErrorOf);
  const [first] = errors;
  const detail = first ? `${first.path || 'Body'}: ${first.message}` : undefined;
  return new Fault('validation', detail, { errors });
}

/** Counts unknown keys: a body may consist of them. */
function fieldErrorOf({ path, message, keys = [] }: Issue): FieldError {
  const [key, ...others] = keys;
  if (key === undefined) return { path: shownPath(path), message };
  if (others.length > 0) return { path: shownPath(path), message: `${keys.length} unknown fields` };
  return { path: shownPath([...path, key]), message: 'Unknown field' };
}

function shownPath(path: readonly PropertyKey[]): string {
  return truncateUtf8(path.map(String).join('.'), MOST_PATH_BYTES);
}

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const end = url.slice(start).search(/[?#]/);
  return end < 0 ? url.slice(start) : url.slice(start, start + end);
}

/** Routes never see the prefix; a path outside it matches no route. */
function withoutPrefix(path: string, root_path: string): string {
  if (root_path === '') return path;
  if (path === root_path) return '/';
  return path.startsWith(`${root_path}/`) ? path.slice(root_path.length) : '//';
}
