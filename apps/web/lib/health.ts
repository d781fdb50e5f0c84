import { queryOptions } from '@tanstack/solid-query';
import { type GatewayClient, take } from '#client/client.ts';

const FRESH_MS = 5000; // who comes back to the page sees which gateway answers now

export function healthQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['health'],
    queryFn: () => take(client.http.GET('/api/health')),
    staleTime: FRESH_MS,
  });
}
