import { createParser } from 'eventsource-parser';
import type { GatewayClient, Schemas } from './client.ts';
import { ClientError, networkError } from './transport/client-error.ts';

const MAX_EVENT_CHARACTERS = 32 * 1024 * 1024; // the statuses of thousands of servers arrive as one event

export type ServerStatuses = Schemas['ServerStatuses'];
export type TestEvent = Schemas['ConnectionTestEvent'];

export interface StreamEvent {
  readonly name: string;
  readonly data: unknown;
}

export interface Watching {
  readonly signal?: AbortSignal | undefined;
  /** Called for every chunk, even a comment: the stream is alive. */
  readonly heard?: () => void;
}

interface StreamAnswer {
  readonly data?: unknown;
  readonly response: Response;
}

/** The statuses of all servers the caller can access, then every change. Returns when the gateway ends the stream. */
export async function* watchStatuses(
  client: GatewayClient,
  watching: Watching = {},
): AsyncGenerator<ServerStatuses> {
  const { signal = null } = watching;
  const headers = { Accept: 'text/event-stream' };
  const answer = await client.http.GET('/api/servers/events', { headers, parseAs: 'stream', signal });
  yield* eventsOf<ServerStatuses>(answer, watching, 'status');
}

/** The progress of a connection test. Returning early or aborting cancels it. */
export async function* watchTest(
  client: GatewayClient,
  id: number,
  watching: Watching = {},
): AsyncGenerator<TestEvent> {
  const { signal = null } = watching;
  const params = { path: { id } };
  const headers = { Accept: 'text/event-stream' };
  const answer = await client.http.POST('/api/servers/{id}/test', {
    params,
    headers,
    parseAs: 'stream',
    signal,
  });
  yield* eventsOf<TestEvent>(answer, watching, 'test');
}

/** Reads server-sent events (WHATWG HTML §9.2). Leaving the loop cancels the response. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { signal, heard }: Watching = {},
): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const events: StreamEvent[] = [];
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onEvent: ({ event = 'message', data }) => events.push({ name: event, data: JSON.parse(data) }),
  });
  const cancel = () => void reader.cancel().catch(() => undefined); // the stream has already failed
  signal?.addEventListener('abort', cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return;
      heard?.();
      parser.feed(decoder.decode(value, { stream: true }));
      yield* events.splice(0);
    }
  } catch (cause) {
    signal?.throwIfAborted();
    throw networkError(cause);
  } finally {
    signal?.removeEventListener('abort', cancel);
    cancel();
  }
}

/** The events of an answer, or those of one name. Unchecked: the gateway sends only events of its own schema. */
export async function* eventsOf<Event>(
  answer: StreamAnswer,
  watching: Watching,
  wanted?: string,
): AsyncGenerator<Event> {
  for await (const { name, data } of readEvents(streamOf(answer), watching))
    if (wanted === undefined || name === wanted) yield data as Event;
}

/** A proxy may answer with its own page instead of an event stream. */
export function streamOf({ data, response }: StreamAnswer): ReadableStream<Uint8Array> {
  const is_events = response.headers.get('Content-Type')?.startsWith('text/event-stream');
  if (is_events && data instanceof ReadableStream) return data;
  response.body?.cancel().catch(() => undefined); // the body is not needed
  const detail = 'No events are arriving from the gateway';
  throw new ClientError({ status: response.status, code: 'no_event_stream', detail });
}
