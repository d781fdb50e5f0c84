import { queryOptions } from '@tanstack/solid-query';
import { type GatewayClient, take } from '#client/client.ts';

/** Below the servers: a changed server may switch the agent on or off. */
export const AGENT_STATUS_KEY = ['servers', 'agent_status'] as const;

/** Whether the agent answers for a server, and why not. */
export function agentStatusQuery(client: GatewayClient, server_id: number) {
  return queryOptions({
    queryKey: [...AGENT_STATUS_KEY, server_id],
    queryFn: () => take(client.http.GET('/api/agent/status', { params: { query: { server_id } } })),
    enabled: server_id > 0,
  });
}
