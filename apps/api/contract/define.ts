import { createRoute } from '@hono/zod-openapi';
import type { AppRoute } from './app-route.ts';
import { refusalsOf } from './refusals.ts';

/** HEAD answers with the headers of its GET, behind the same gates. */
export function headOf<R extends AppRoute>(get: R, operationId: string): AppRoute {
  const responses = Object.entries(get.responses).map(([status, response]) => {
    if ('$ref' in response) return [status, response];
    const { content, ...rest } = response;
    return [status, rest];
  });
  return {
    ...get,
    operationId,
    method: 'head',
    summary: `${get.summary}: headers only`,
    description: `The answer of \`${get.operationId}\` without its body; a refusal, too, has only a status.`,
    responses: Object.fromEntries(responses),
  };
}

/** A route as data; adds to its responses what it refuses. */
export function defineRoute<const R extends AppRoute>(route: R) {
  return createRoute(withRefusals(route));
}

/** Only the error mapper sends the added responses, so the handler's type stays that of `route`. */
function withRefusals<R extends AppRoute>(route: R): R {
  const security = route['x-access'] === 'public' ? [] : [{ bearer: [] }]; // empty: said to be public, not forgotten
  const { refuses, ...rest } = route;
  return { ...rest, security, responses: { ...refusalsOf(route), ...route.responses } } as unknown as R;
}
