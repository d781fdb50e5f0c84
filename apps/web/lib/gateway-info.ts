import { queryOptions } from '@tanstack/solid-query';
import { type GatewayClient, take } from '#client/client.ts';

const HEALTH_FRESH_MS = 5000; // short: behind a load balancer another instance may answer next

export function configQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['config'],
    queryFn: () => take(client.http.GET('/api/config')),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function healthQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['health'],
    queryFn: () => take(client.http.GET('/api/health')),
    staleTime: HEALTH_FRESH_MS,
  });
}
