import { queryOptions, useQuery } from '@tanstack/solid-query';
import type { Accessor } from 'solid-js';
import { type GatewayClient, take } from '#client/client.ts';
import { useApp } from '../app-context.ts';

export function configQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['config'],
    queryFn: () => take(client.http.GET('/api/config')),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Whether hosts that are not registered may be connected to. */
export function useHasQuick(): Accessor<boolean> {
  const { client } = useApp();
  const config = useQuery(() => configQuery(client));
  return () => config.data !== undefined && config.data.quick_connect !== false && !config.data.demo_mode;
}

/** Why nothing can be changed here; undefined where it can. */
export function useWhyFixed(): Accessor<string | undefined> {
  const { client, t } = useApp();
  const config = useQuery(() => configQuery(client));
  return () => (config.data?.demo_mode ? t('why_demo') : undefined);
}
