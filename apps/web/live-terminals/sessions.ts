import { keepPreviousData, queryOptions } from '@tanstack/solid-query';
import type { GatewayClient, Schemas } from '#client/client.ts';

export type LiveSession = Schemas['TerminalSession'];

export const LIVE_PAGE = 500; // searched in the page
const POLL_MS = 5000;

interface Part {
  readonly limit: number;
  readonly offset: number;
  readonly own?: 'true';
}

/** Polled while the page is visible. */
function partQuery(client: GatewayClient, query: Part) {
  return queryOptions({
    queryKey: ['live_sessions', query],
    queryFn: async ({ signal }) => {
      const answer = await client.http.GET('/api/terminal/sessions', { params: { query }, signal });
      const total = Number(answer.response.headers.get('X-Total-Count') ?? 0);
      return { sessions: answer.data ?? [], total };
    },
    refetchInterval: POLL_MS,
    refetchOnWindowFocus: 'always',
    placeholderData: keepPreviousData,
    reconcile: 'id', // a row that is still there keeps its focus
  });
}

export function liveSessionsQuery(client: GatewayClient, page: number) {
  return partQuery(client, { limit: LIVE_PAGE, offset: page * LIVE_PAGE });
}

/** The user's own sessions, the newest first; all of them unless `limit` says how many. */
export function ownLiveSessionsQuery(client: GatewayClient, limit = LIVE_PAGE) {
  return partQuery(client, { limit, offset: 0, own: 'true' });
}

export const LIVE_SESSIONS_KEY = ['live_sessions'] as const;

export async function endSession(client: GatewayClient, { id }: LiveSession): Promise<void> {
  await client.http.DELETE('/api/terminal/sessions/{session_id}', { params: { path: { session_id: id } } });
}
