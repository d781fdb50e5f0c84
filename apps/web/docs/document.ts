import { load } from '#client/transport/load.ts';

/** The parts of an OpenAPI 3.1 document that the page shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly examples?: readonly unknown[];
  /** The events of a stream. */
  readonly contentSchema?: Schema;
}

export interface Body {
  readonly $ref?: string;
  readonly description?: string;
  readonly 'x-codes'?: readonly string[];
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface OperationObject {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses?: Readonly<Record<string, Body>>;
  readonly 'x-access'?: string;
  readonly 'x-allow'?: readonly string[];
  readonly 'x-scope'?: string;
  readonly 'x-fresh'?: boolean;
  readonly 'x-websocket'?: boolean;
  readonly 'x-rate'?: { readonly limit: number; readonly window_s: number; readonly by: string };
}

export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly responses?: Readonly<Record<string, Body>>;
  };
}

export interface Operation extends OperationObject {
  readonly method: string;
  readonly path: string;
}

export interface OperationGroup {
  readonly tag: string;
  readonly operations: readonly Operation[];
}

/** Trusted without parsing: the gateway generates the document itself. */
export async function loadDocument(): Promise<ApiDocument> {
  const response = await load('./openapi.json');
  return (await response.json()) as ApiDocument;
}

/** Groups the operations that contain every word of the filter, also in a code, by tag, in document order. */
export function groupOperations(document: ApiDocument, filter: string): OperationGroup[] {
  const groups = new Map<string, Operation[]>();
  for (const operation of operationsOf(document)) {
    if (!holds(operation, filter)) continue;
    const tag = operation.tags?.[0] ?? 'other';
    const group = groups.get(tag);
    if (group) group.push(operation);
    else groups.set(tag, [operation]);
  }
  return [...groups].map(([tag, operations]) => ({ tag, operations }));
}

export function operationsOf(document: ApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      responses: resolved(operation.responses, document),
      path,
      method: method.toUpperCase(),
    })),
  );
}

/** The responses with those that many operations share. */
function resolved(responses: OperationObject['responses'] = {}, { components }: ApiDocument) {
  const all = Object.entries(responses).map(([status, response]) => {
    const shared = response.$ref && components?.responses?.[response.$ref.split('/').at(-1) ?? ''];
    return [status, shared || response];
  });
  return Object.fromEntries(all);
}

function holds(operation: Operation, filter: string): boolean {
  const { method, path, operationId, summary, description, responses = {} } = operation;
  const codes = Object.values(responses).flatMap((response) => response['x-codes'] ?? []);
  const text = [method, path, operationId, summary, description, ...codes].join(' ').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export function refName(schema: Schema | undefined): string | undefined {
  return schema?.$ref?.split('/').at(-1);
}

/** A short name for the type, without its properties. */
export function typeOf(schema: Schema): string {
  const name = refName(schema);
  if (name) return name;
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants) return variants.map(typeOf).join(' | ');
  if (schema.allOf) return schema.allOf.map(typeOf).join(' & ');
  if (schema.items) return `${typeOf(schema.items)}[]`;
  const type = [schema.type ?? 'any'].flat().join(' | ');
  return schema.format ? `${type} (${schema.format})` : type;
}

function lengthOf({ minLength = 0, maxLength }: Schema): string {
  if (maxLength !== undefined)
    return `${minLength > 0 ? `${minLength} to` : 'at most'} ${maxLength} characters`;
  return minLength > 0 ? `at least ${minLength} characters` : '';
}

export function limitsOf(schema: Schema): string {
  const range = [
    schema.minimum === undefined ? '' : `≥ ${schema.minimum}`,
    schema.maximum === undefined ? '' : `≤ ${schema.maximum}`,
    lengthOf(schema),
    schema.maxItems === undefined ? '' : `at most ${schema.maxItems} items`,
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ];
  return range.filter((part) => part !== '').join(', ');
}
