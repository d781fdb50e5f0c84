import { queryOptions } from '@tanstack/solid-query';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';

export type RevokedKey = Schemas['RevokedHostKey'];

export function revokedKeysQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['revoked_keys'],
    queryFn: () => take(client.http.GET('/api/servers/host-keys/revoked')),
    reconcile: 'id',
  });
}

export async function acceptAgain(client: GatewayClient, { id }: Pick<RevokedKey, 'id'>): Promise<void> {
  await client.http.DELETE('/api/servers/host-keys/revoked/{id}', { params: { path: { id } } });
}
