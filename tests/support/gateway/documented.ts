import { GENERAL_REFUSALS } from '#api/contract/refusals.ts';
import { openApiDocument } from '#server/cli/openapi.ts';

type Paths = Readonly<Record<string, Readonly<Record<string, Described>>>>;

interface Described {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly 'x-codes'?: readonly string[] }>>;
}

const GENERAL: ReadonlySet<string> = new Set(Object.values(GENERAL_REFUSALS).flatMap(({ codes }) => codes));

interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  readonly operation: Described;
}

let routes: readonly Route[] | undefined;

/** Those without parameters first: `/api/servers/status` is no server. */
function readRoutes(): readonly Route[] {
  const { paths } = openApiDocument() as { readonly paths: Paths };
  const sorted = Object.entries(paths).sort(
    ([one], [other]) => one.split('{').length - other.split('{').length,
  );
  return sorted.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      operation,
    })),
  );
}

/** Fails the test if the document of the API does not list this refusal of the operation. */
export function assertDocumented(
  { method, path, status }: { readonly method: string; readonly path: string; readonly status: number },
  answer: unknown,
): void {
  const code =
    status >= 400 && typeof answer === 'object' && answer !== null && 'code' in answer && answer.code;
  if (typeof code !== 'string' || GENERAL.has(code)) return;
  routes ??= readRoutes();
  const [asked = ''] = path.split('?');
  const { operation } = routes.find((route) => route.method === method && route.pattern.test(asked)) ?? {};
  if (!operation || operation.responses[status]?.['x-codes']?.includes(code)) return;
  throw new Error(
    `${operation.operationId} answered ${status} ${code}: add the code to what its route refuses`,
  );
}
