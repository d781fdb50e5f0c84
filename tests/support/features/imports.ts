import type { Server } from '#core/model/hosts/server.ts';
import type { ImportedServers, ServerExport } from '#core/model/hosts/server-transfer.ts';
import type { ToldWarnings } from '#core/model/warning.ts';
import type { Answer, TestGateway } from '../gateway/gateway.ts';

export interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

/** With what every server must have. */
export async function importServers(
  { admin }: TestGateway,
  servers: readonly object[],
): Promise<Answer<ImportedServers & Refusal>> {
  const complete = servers.map((server) => ({ hostname: 'h.example', username: 'u', ...server }));
  const path = '/api/servers/import';
  const answer = await admin.call<ImportedServers & Refusal>('POST', path, { servers: complete });
  assertPhrased(answer.body);
  return answer;
}

/** Every warning can be told in another language. */
export function assertPhrased({ warnings = [], warning_phrases = [] }: Partial<ToldWarnings>): void {
  const bare = warnings.filter((_warning, index) => !warning_phrases[index]);
  if (bare.length > 0) throw new Error(`Warnings without a phrase: ${bare.join(' | ')}`);
}

export async function exported({ admin }: TestGateway): Promise<ServerExport[]> {
  return (await admin.call<ServerExport[]>('GET', '/api/servers/export')).body;
}

export async function serversOf({ admin }: TestGateway): Promise<Server[]> {
  return (await admin.call<Server[]>('GET', '/api/servers')).body;
}

/** Name of each server to the name of its jump host. */
export async function waysOf(gateway: TestGateway): Promise<Record<string, string | null>> {
  return Object.fromEntries(
    (await exported(gateway)).map(({ name, jump_via_name }) => [name, jump_via_name]),
  );
}
