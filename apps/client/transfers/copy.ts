import type { GatewayClient, Schemas } from '../client.ts';
import { eventsOf } from '../event-stream.ts';

export type CopyEvent = Schemas['CopyEvent'];
export type Copied = Schemas['Copied'];

export interface CopyPlan {
  readonly server_id: number;
  readonly body: Schemas['CopyInput'];
}

/** The progress of a copy between hosts. Returning early or aborting cancels it. */
export async function* watchCopy(
  client: GatewayClient,
  { server_id, body }: CopyPlan,
  signal?: AbortSignal,
): AsyncGenerator<CopyEvent> {
  const answer = await client.http.POST('/api/files/{server_id}/copy-to', {
    params: { path: { server_id } },
    body,
    headers: { Accept: 'text/event-stream' },
    parseAs: 'stream',
    signal: signal ?? null,
  });
  yield* eventsOf<CopyEvent>(answer, { signal }, 'copy');
}
