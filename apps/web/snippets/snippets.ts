import { queryOptions, useQueryClient } from '@tanstack/solid-query';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import type { User } from '../app/session.ts';
import { withoutControls } from '../lib/controls.ts';

export type Snippet = Schemas['Snippet'];
export type SnippetInput = Schemas['SnippetInput'];
export type SnippetDraft = Required<SnippetInput>;

// Syntax of shells and templates is not a placeholder: `${VAR}`, `%{http_code}`, `#{name}`, `{{name}}`.
const PLACEHOLDER = /(?<![$%#{])\{([A-Za-z_][\w-]*)\}/g;

export function snippetsQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['snippets'],
    queryFn: () => take(client.http.GET('/api/snippets')),
    reconcile: 'id',
  });
}

export function createSnippetRefresh(client: GatewayClient): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: snippetsQuery(client).queryKey });
}

/** Each name once, in order of appearance. */
export function placeholdersOf(command: string): string[] {
  return [...new Set([...command.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/** In one pass, so braces in a value are not placeholders. Values may be pasted, so their control characters are removed. */
export function fillSnippet(command: string, values: Readonly<Record<string, string>>): string {
  return command.replace(PLACEHOLDER, (whole, name: string) =>
    Object.hasOwn(values, name) ? withoutControls(values[name] ?? whole).text : whole,
  );
}

/** The text as typed: each line followed by Enter. */
export function keysOf(command: string): string {
  return `${command.replace(/(\r\n|\r|\n)+$/, '').replace(/\r\n|\n/g, '\r')}\r`;
}

export function mayEdit(snippet: Pick<Snippet, 'owned' | 'shared'>, user: User | undefined): boolean {
  return snippet.owned || (snippet.shared && user?.is_admin === true);
}

export function draftOf(snippet: Snippet | undefined): SnippetDraft {
  const { name = '', command = '', description = '', shared = false, confirm = false } = snippet ?? {};
  return { name, command, description, shared, confirm };
}

/** Only administrators may send `shared` in an update. */
export async function saveSnippet(
  client: GatewayClient,
  before: Snippet | undefined,
  draft: SnippetDraft,
): Promise<void> {
  const body = { ...draft, name: draft.name.trim(), description: draft.description.trim() };
  if (!before) {
    await client.http.POST('/api/snippets', { body });
    return;
  }
  const { shared, ...rest } = body;
  const patch = shared === before.shared ? rest : body;
  await client.http.PUT('/api/snippets/{id}', { params: { path: { id: before.id } }, body: patch });
}

export async function removeSnippet(client: GatewayClient, { id }: Snippet): Promise<void> {
  await client.http.DELETE('/api/snippets/{id}', { params: { path: { id } } });
}
