import type { GatewayClient, Schemas } from './client.ts';
import { readEvents, streamOf, type Watching } from './event-stream.ts';
import { ClientError } from './transport/client-error.ts';

export type RecordingSearch = Schemas['RecordingSearch'];
/** Failures are thrown. */
export type RecordingSearchEvent = Exclude<Told, Failed>;

type Told = Schemas['RecordingSearchEvent'];
type Failed = Extract<Told, { type: 'failed' }>;

/** Searches what terminals showed. Leaving the loop ends the search. */
export async function* searchRecordings(
  client: GatewayClient,
  body: RecordingSearch,
  watching: Watching = {},
): AsyncGenerator<RecordingSearchEvent> {
  const { signal = null } = watching;
  const headers = { Accept: 'text/event-stream' };
  const answer = await client.http.POST('/api/recordings/search', {
    body,
    headers,
    parseAs: 'stream',
    signal,
  });
  for await (const { data } of readEvents(streamOf(answer), watching)) {
    const event = eventOf(data);
    if (event.type === 'failed') throw new ClientError({ status: 0, code: event.code, detail: event.detail });
    yield event;
  }
}

/** Unchecked: the gateway sends only events of its own schema. */
function eventOf(data: unknown): Told {
  return data as Told;
}
