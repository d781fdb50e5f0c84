import { openApiDocument } from '#server/cli/openapi.ts';

/** One operation of the OpenAPI document, reduced to what access control needs. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** The documented path, with `{parameters}`. */
  readonly path: string;
  readonly access: 'public' | 'user' | 'admin';
  readonly scope: 'read' | 'files' | 'terminal' | 'admin' | 'session' | 'any' | undefined;
  /** The embedded sessions that may call it. */
  readonly embed: { readonly kind: 'terminal' | 'files' | 'any'; readonly writes?: true } | undefined;
  /** Wants a session that was signed in to, or confirmed, recently. */
  readonly fresh: boolean;
  readonly allow: readonly string[];
  /** Modes in which it is closed to everybody. */
  readonly deny: readonly string[];
  readonly socket: boolean;
  /** The kind of ticket it takes. */
  readonly ticket: string | undefined;
  readonly body: Schema | undefined;
  /** The JSON of its 200. */
  readonly answer: Schema | undefined;
  /** Never compressed. */
  readonly mixes_secrets: boolean;
  readonly body_limit_mib: number;
  readonly query: readonly { readonly name: string; readonly schema: Schema; readonly required: boolean }[];
  /** Extra headers without which the request is rejected early. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The parts of JSON Schema that the tests read. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema }[];
  readonly tags?: readonly string[];
  readonly requestBody?: { content: Record<string, { schema: Schema }> };
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema: Schema }> }>>;
  readonly [extension: `x-${string}`]: unknown;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const DOCUMENT = openApiDocument() as Document;

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Headers that every operation of a resumable upload accepts. */
const TUS_HEADERS = {
  'tus-resumable': '1.0.0',
  'upload-length': '3',
  'upload-offset': '0',
  'upload-metadata': `filename ${base64('a.txt')},path ${base64('/no/such/place')}`,
  'content-type': 'application/offset+octet-stream',
};

/** HEAD is answered by the handler of GET, behind its gates, and has no body to look at. */
const hasBody = ([method]: readonly [string, unknown]) => method !== 'head';

/** Every operation, so a new route is covered by the tests that walk this list. */
export const OPERATIONS: readonly Operation[] = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(hasBody)
    .map(([method, described]) => ({
      id: described.operationId,
      method: method.toUpperCase(),
      path,
      access: described['x-access'] as Operation['access'],
      scope: described['x-scope'] as Operation['scope'],
      embed: described['x-embed'] as Operation['embed'],
      fresh: described['x-fresh'] === true,
      allow: (described['x-allow'] ?? []) as string[],
      deny: (described['x-deny'] ?? []) as string[],
      socket: described['x-websocket'] === true,
      ticket: described['x-ticket'] as Operation['ticket'],
      body: resolved(described.requestBody?.content['application/json']?.schema),
      answer: described.responses['200']?.content?.['application/json']?.schema,
      mixes_secrets: described['x-mixes-secrets'] === true,
      body_limit_mib: Number(described['x-body-limit'] ?? 1),
      query: (described.parameters ?? [])
        .filter((parameter) => parameter.in === 'query')
        .map(({ name, schema, required = false }) => ({ name, schema, required })),
      headers: described.tags?.includes('uploads') ? TUS_HEADERS : {},
    })),
);

export const GUARDED = OPERATIONS.filter(({ access }) => access !== 'public');

/** The path with every parameter filled in; by default with an id that does not exist. */
export function pathOf({ path }: Operation, parameter = '2147483647'): string {
  return path.replace(/\{\w+\}/g, parameter);
}

const QUERY: Readonly<Record<string, string>> = { path: '/no/such/place', q: 'x' };

/** Adds the required query parameters, and `path` if it is allowed: validation comes before the server lookup. */
export function withQuery({ query }: Operation, path: string, except = ''): string {
  const asked = query.filter(({ name, required }) => (required || name === 'path') && name !== except);
  return asked.length === 0 ? path : `${path}?${asked.map(({ name }) => `${name}=${QUERY[name]}`).join('&')}`;
}

export function resolved(schema: Schema | undefined): Schema | undefined {
  const name = schema?.$ref?.split('/').at(-1);
  return name === undefined ? schema : DOCUMENT.components.schemas[name];
}
