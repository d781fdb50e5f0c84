import { describe, expect, it } from 'vitest';
import { createClient } from '#client/client.ts';
import { readEvents, type TestEvent, watchStatuses, watchTest } from '#client/event-stream.ts';

const never = new AbortController().signal;

/** A body that arrives in these parts, and then ends, fails or stays open. */
function bodyOf(parts: readonly (string | Uint8Array)[], then: 'end' | 'fail' | 'stay' = 'end') {
  let cancelled = false;
  const rest = parts.map((part) => (typeof part === 'string' ? new TextEncoder().encode(part) : part));
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = rest.shift();
      if (part) controller.enqueue(part);
      else if (then === 'end') controller.close();
      else if (then === 'fail') controller.error(new TypeError('network error'));
    },
    cancel() {
      cancelled = true;
    },
  });
  return { body, cancelled: () => cancelled };
}

async function all<T>(events: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const event of events) found.push(event);
  return found;
}

function clientAnswering(response: () => Response) {
  const requests: Request[] = [];
  const client = createClient({
    base_url: 'https://gate.example',
    credentials: 'sesame',
    retries: 0,
    fetch: async (request) => {
      requests.push(request);
      return response();
    },
  });
  return { client, requests };
}

const answer = (body: ReadableStream<Uint8Array> | string, type = 'text/event-stream; charset=utf-8') =>
  new Response(body, { headers: { 'Content-Type': type } });

describe('An event stream', () => {
  it('is parsed however it is chunked', async () => {
    const text = 'retry: 3000\n\nevent: test\ndata: {"a":"é"}\n\n: keep-alive\n\ndata: [1]\n\n';
    const bytes = new TextEncoder().encode(text);
    const { body } = bodyOf([...bytes].map((byte) => new Uint8Array([byte])));
    expect(await all(readEvents(body, { signal: never }))).toEqual([
      { name: 'test', data: { a: 'é' } },
      { name: 'message', data: [1] },
    ]);
  });

  it('needs no signal', async () => {
    const { client } = clientAnswering(() => answer('event: status\ndata: {}\n\n'));
    expect(await all(watchStatuses(client))).toEqual([{}]);
  });

  it('counts as alive when only a comment arrives', async () => {
    const heard: true[] = [];
    const { body } = bodyOf([': keep-alive\n\n', ': keep-alive\n\n']);
    const watching = { signal: never, heard: () => void heard.push(true) };
    expect(await all(readEvents(body, watching))).toEqual([]);
    expect(heard).toHaveLength(2);
  });

  it('reports a network failure when it breaks', async () => {
    const { body } = bodyOf(['data: 1\n\n'], 'fail');
    await expect(all(readEvents(body, { signal: never }))).rejects.toMatchObject({ code: 'network' });
  });

  it('cancels the response when it is abandoned or aborted', async () => {
    const left = bodyOf(['data: 1\n\n'], 'stay');
    for await (const _ of readEvents(left.body, { signal: never })) break;
    expect(left.cancelled()).toBe(true);

    const aborted = bodyOf(['data: 1\n\n'], 'stay');
    const giving_up = new AbortController();
    const reading = all(
      readEvents(aborted.body, { signal: giving_up.signal, heard: () => giving_up.abort() }),
    );
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    expect(aborted.cancelled()).toBe(true);
  });
});

describe('The event stream of the gateway', () => {
  const begin: TestEvent = { type: 'begin', name: 'tcp', hop: 'web' };

  it('for a connection test is requested with the token', async () => {
    const { client, requests } = clientAnswering(() =>
      answer(`event: test\ndata: ${JSON.stringify(begin)}\n\n`),
    );
    expect(await all(watchTest(client, 3, { signal: never }))).toEqual([begin]);
    const [request] = requests;
    expect([request?.method, request?.url]).toEqual(['POST', 'https://gate.example/api/servers/3/test']);
    expect(request?.headers.get('Accept')).toBe('text/event-stream');
    expect(request?.headers.get('Authorization')).toBe('Bearer sesame');
  });

  it('for servers yields known events and ignores others', async () => {
    const { client } = clientAnswering(() =>
      answer('event: hello\ndata: {}\n\nevent: status\ndata: {"3":{"status":"online"}}\n\n'),
    );
    expect(await all(watchStatuses(client, { signal: never }))).toEqual([{ 3: { status: 'online' } }]);
  });

  it('is refused with a code', async () => {
    const body = { detail: 'Too many event streams of one user', code: 'too_many_streams' };
    const { client } = clientAnswering(() => Response.json(body, { status: 429 }));
    const watching = all(watchStatuses(client, { signal: never }));
    await expect(watching).rejects.toMatchObject({ status: 429, code: 'too_many_streams' });
  });

  it('fails when something else answers', async () => {
    const { client } = clientAnswering(() => answer('<h1>Welcome</h1>', 'text/html'));
    const watching = all(watchStatuses(client, { signal: never }));
    await expect(watching).rejects.toMatchObject({ code: 'no_event_stream' });
  });
});
