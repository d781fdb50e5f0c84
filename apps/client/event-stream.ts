import { createParser } from 'eventsource-parser';
import type { GatewayClient, Schemas } from './client.ts';
import { ClientError, networkError } from './client-error.ts';

const MAX_EVENT_CHARACTERS = 32 * 1024 * 1024; // the statuses of many thousand servers come as one event

export type ServerStatuses = Schemas['ServerStatuses'];
export type TestEvent = Schemas['ConnectionTestEvent'];

export interface StreamEvent {
  readonly name: string;
  readonly data: unknown;
}

interface Watching {
  readonly signal: AbortSignal;
  /** Something came, were it only a comment: the stream lives. */
  readonly heard?: () => void;
}

/** The statuses of all servers that the caller may reach, then those that change; returns when the gateway ends it. */
export async function* watchStatuses(
  client: GatewayClient,
  watching: Watching,
): AsyncGenerator<ServerStatuses> {
  const { signal } = watching;
  const headers = { Accept: 'text/event-stream' };
  const answer = await client.http.GET('/api/servers/events', { headers, parseAs: 'stream', signal });
  for await (const { name, data } of readEvents(streamOf(answer), watching))
    if (name === 'status') yield statusesOf(data);
}

/** A connection test as it goes; returning early or aborting gives it up. */
export async function* watchTest(
  client: GatewayClient,
  id: number,
  watching: Watching,
): AsyncGenerator<TestEvent> {
  const { signal } = watching;
  const params = { path: { id } };
  const headers = { Accept: 'text/event-stream' };
  const answer = await client.http.POST('/api/servers/{id}/test', {
    params,
    headers,
    parseAs: 'stream',
    signal,
  });
  for await (const { name, data } of readEvents(streamOf(answer), watching))
    if (name === 'test') yield testEventOf(data);
}

/** Server-sent events (WHATWG HTML §9.2) of an answer, as they come; leaving the loop ends the answer. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { signal, heard }: Watching,
): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const events: StreamEvent[] = [];
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onEvent: ({ event = 'message', data }) => events.push({ name: event, data: JSON.parse(data) }),
  });
  const cancel = () => void reader.cancel().catch(() => undefined); // it has failed already
  signal.addEventListener('abort', cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      heard?.();
      parser.feed(decoder.decode(value, { stream: true }));
      yield* events.splice(0);
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw networkError(cause);
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

/** Something in between may answer by itself, with a page of its own. */
export function streamOf({
  data,
  response,
}: {
  data?: unknown;
  response: Response;
}): ReadableStream<Uint8Array> {
  const is_events = response.headers.get('Content-Type')?.startsWith('text/event-stream');
  if (is_events && data instanceof ReadableStream) return data;
  response.body?.cancel().catch(() => undefined); // nobody wants it
  const detail = 'The gateway’s events do not come through';
  throw new ClientError({ status: response.status, code: 'no_event_stream', detail });
}

/** The gateway sends only the events of its own document under this name. */
function statusesOf(data: unknown): ServerStatuses {
  return data as ServerStatuses;
}

/** The gateway sends only the events of its own document under this name. */
function testEventOf(data: unknown): TestEvent {
  return data as TestEvent;
}
