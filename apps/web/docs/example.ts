import { type ApiDocument, refName, type Schema } from './document.ts';

const MAX_DEPTH = 6;

/** An example of a value: the schema's own, or one made of its parts. */
export function exampleOf(schema: Schema, document: ApiDocument, depth = 0): unknown {
  const [own] = schema.examples ?? [];
  if (own !== undefined) return own;
  const named = document.components?.schemas?.[refName(schema) ?? ''];
  if (depth > MAX_DEPTH) return null;
  if (named) return exampleOf(named, document, depth + 1);
  const [variant] = schema.oneOf ?? schema.anyOf ?? schema.allOf ?? [];
  if (variant) return exampleOf(variant, document, depth + 1);
  if (schema.properties) return objectOf(schema, document, depth);
  if (schema.items) return [exampleOf(schema.items, document, depth + 1)];
  return simpleOf(schema);
}

function objectOf({ properties = {}, required = [] }: Schema, document: ApiDocument, depth: number) {
  const shown = Object.entries(properties).filter(([name]) => required.includes(name));
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(schema, document, depth + 1)]));
}

function simpleOf({ default: preset, const: only, enum: values, type, minimum, format }: Schema): unknown {
  const [first] = values ?? [];
  const given = preset ?? only ?? first;
  if (given !== undefined) return given;
  switch ([type].flat()[0]) {
    case 'integer':
    case 'number':
      return minimum ?? 0;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    case 'string':
      return format === 'date-time' ? '2026-01-31T12:00:00Z' : 'text';
    default:
      return null;
  }
}

export function asJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
