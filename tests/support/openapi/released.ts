import { readFileSync } from 'node:fs';

/** The parts of a document that a release keeps. */
export interface ApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly object[];
  readonly paths: Readonly<Record<string, object>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

export const DOCUMENT_FILE = 'docs/openapi.json';
/** The document of the last release, with which each later one must stay compatible. */
export const RELEASED_FILE = 'apps/api/released.json';

export const readDocument = (file: string): ApiDocument => JSON.parse(readFileSync(file, 'utf8'));

const FOR_PEOPLE = new Set(['description', 'summary', 'example', 'examples', 'x-codes', 'tags']);

/** Without what is only for people. The keys below `properties` are names of fields, such as `description`. */
function withoutTexts(value: unknown, are_names = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutTexts(item));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => are_names || !FOR_PEOPLE.has(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutTexts(inner, key === 'properties')]));
}

function lines(record: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(record).map(([key, value]) => `${JSON.stringify(key)}: ${spelled(value)}`);
  return `{\n${parts.join(',\n')}\n}`;
}

const spelled = (value: unknown) => JSON.stringify(withoutTexts(value));

/** What clients depend on, one line for each path and component, so that a diff shows what a release changes. */
export function toReleased({ openapi, info, servers, paths, components }: ApiDocument): string {
  const { title, version } = info;
  const head = Object.entries({ openapi, info: { title, version }, servers });
  const kinds = Object.entries(components).map(([kind, all]) => `${JSON.stringify(kind)}: ${lines(all)}`);
  return `{
${head.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)},`).join('\n')}
"paths": ${lines(paths)},
"components": {
${kinds.join(',\n')}
}
}
`;
}
