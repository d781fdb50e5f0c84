import { queryOptions } from '@tanstack/solid-query';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import { compareNaturally } from '../lib/match/natural.ts';

export type Server = Schemas['Server'];
export type ServerStatus = Schemas['ServerStatus'];
export type ServerPatch = Schemas['ServerPatch'];

const FRESH_MS = 10_000; // no refetch on every switch between tabs

export function serversQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['servers'],
    queryFn: () => take(client.http.GET('/api/servers')),
    staleTime: FRESH_MS,
    reconcile: 'id', // unchanged rows keep their menu and focus
  });
}

/** The address as a person would type it; the usual port is left out. */
export function addressOf({ username, hostname, port }: Server): string {
  return `${username}@${hostname}${port === 22 ? '' : `:${port}`}`;
}

/** The server with this name on the jump chain of `server_id`; undefined if ambiguous. */
export function hopNamed(
  servers: readonly Server[],
  server_id: number,
  name: string | undefined,
): Server | undefined {
  const named = servers.filter((server) => server.name === name);
  const [hop] = named;
  return named.length === 1 && hop && jumpChain(servers, server_id).includes(hop.id) ? hop : undefined;
}

function jumpChain(servers: readonly Server[], server_id: number): number[] {
  const chain: number[] = [];
  let next: number | null = server_id;
  while (next !== null && !chain.includes(next)) {
    const id: number = next;
    chain.push(id);
    next = servers.find((server) => server.id === id)?.jump_via_id ?? null;
  }
  return chain;
}

export function tagsOf(servers: readonly Server[]): string[] {
  return [...new Set(servers.flatMap(({ tags }) => tags))].sort(compareNaturally);
}
