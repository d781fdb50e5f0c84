import type { GatewayClient, Schemas } from './client.ts';
import { readEvents, streamOf, type Watching } from './event-stream.ts';

export type RecordingSearch = Schemas['RecordingSearch'];
export type RecordingSearchEvent = Schemas['RecordingSearchEvent'];

/** Searches what terminals showed. Leaving the loop ends the search. */
export async function* searchRecordings(
  client: GatewayClient,
  body: RecordingSearch,
  watching: Watching,
): AsyncGenerator<RecordingSearchEvent> {
  const { signal } = watching;
  const headers = { Accept: 'text/event-stream' };
  const answer = await client.http.POST('/api/recordings/search', {
    body,
    headers,
    parseAs: 'stream',
    signal,
  });
  for await (const { data } of readEvents(streamOf(answer), watching)) yield eventOf(data);
}

/** Unchecked: the gateway sends only events of its own schema. */
function eventOf(data: unknown): RecordingSearchEvent {
  return data as RecordingSearchEvent;
}
