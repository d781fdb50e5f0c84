import { queryOptions } from '@tanstack/solid-query';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';

export type QuickKey = Schemas['QuickHostKey'];

export function quickKeysQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['quick_keys'],
    queryFn: () => take(client.http.GET('/api/terminal/host-keys')),
    reconcile: 'id',
  });
}

export function acceptQuickKey(
  client: GatewayClient,
  { id }: Pick<QuickKey, 'id'>,
  host_key: string,
): Promise<QuickKey> {
  return take(
    client.http.PUT('/api/terminal/host-keys/{id}', { params: { path: { id } }, body: { host_key } }),
  );
}

export async function forgetQuickKey(client: GatewayClient, { id }: Pick<QuickKey, 'id'>): Promise<void> {
  await client.http.DELETE('/api/terminal/host-keys/{id}', { params: { path: { id } } });
}

/** Hostnames are pinned in lower case. */
export function pinOf(
  keys: readonly QuickKey[],
  { host, port }: { readonly host: string; readonly port: number },
): QuickKey | undefined {
  return keys.find((key) => key.hostname === host.toLowerCase() && key.port === port);
}

export function formatPlace({ hostname, port }: Pick<QuickKey, 'hostname' | 'port'>): string {
  return `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;
}
