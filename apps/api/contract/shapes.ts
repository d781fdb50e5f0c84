import { z } from '@hono/zod-openapi';

export const ErrorBody = z
  .object({
    detail: z.string().describe('For people'),
    code: z.string().describe('For programs: a stable snake_case code'),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    request_id: z.string().optional(),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof ErrorBody>;

export function json<S extends z.ZodType>(schema: S, description: string) {
  return { content: { 'application/json': { schema } }, description };
}

export function body<S extends z.ZodType>(schema: S) {
  return { content: { 'application/json': { schema } }, required: true };
}

export function optionalBody<S extends z.ZodType>(schema: S) {
  return { content: { 'application/json': { schema } }, required: false };
}

const TEXT_ID = /^[\w-]{1,64}$/;
const MAX_ID = 2_147_483_647;
const UNKNOWN_ID = 0; // rows count from 1

/** A plain decimal integer; anything else becomes an id that does not exist, so the answer is the 404 of the route. */
export function idOf(text: string | undefined): number {
  const id = /^[1-9]\d{0,9}$/.test(text ?? '') ? Number(text) : UNKNOWN_ID;
  return id <= MAX_ID ? id : UNKNOWN_ID;
}

export const pathId = z.string().transform(idOf).openapi({ type: 'integer', minimum: 1, maximum: MAX_ID });

/** The id of a session, a share or an upload; whatever cannot be one is looked up in vain, like an unknown id. */
export const textId = z
  .string()
  .transform((text) => (TEXT_ID.test(text) ? text : ''))
  .openapi({ type: 'string', pattern: TEXT_ID.source });

export const serverIdParam = z.object({ id: pathId });

const MAX_PAGE = 500;

/** For lists without an upper limit. */
export const paging = z.object({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(100),
  offset: z.coerce.number().int().min(0).max(1_000_000_000).default(0),
});

/** One page of a list; a header has the total. */
export function page<S extends z.ZodType>(schema: S, description: string) {
  return {
    ...json(z.array(schema), description),
    headers: z.object({
      'X-Total-Count': z.string().describe('Length of the whole list'),
      'X-Total-Count-Exact': z.string().optional().describe('`false` if there may be more'),
    }),
  };
}

export const userIdParam = z.object({ user_id: pathId });

/** A text whose events contain this component. */
export const eventsOf = (name: string) => ({
  type: 'string' as const,
  description: `Events that contain a \`${name}\``,
  contentSchema: { $ref: `#/components/schemas/${name}` },
});

/** Server-sent events (WHATWG HTML §9.2); `schema` describes the whole text. */
export function eventStream<S extends z.ZodType>(schema: S, description: string) {
  return { content: { 'text/event-stream': { schema } }, description };
}
