import { describe, expect, it } from 'vitest';
import { createClient } from '#client/client.ts';
import { readEvents, type TestEvent, watchStatuses, watchTest } from '#client/event-stream.ts';

const never = new AbortController().signal;

/** A body that comes in these parts, and then ends, fails or stays open. */
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
    token: () => 'sesame',
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
  it('is read whatever parts it comes in', async () => {
    const text = 'retry: 3000\n\nevent: test\ndata: {"a":"é"}\n\n: keep-alive\n\ndata: [1]\n\n';
    const bytes = new TextEncoder().encode(text);
    const { body } = bodyOf([...bytes].map((byte) => new Uint8Array([byte])));
    expect(await all(readEvents(body, { signal: never }))).toEqual([
      { name: 'test', data: { a: 'é' } },
      { name: 'message', data: [1] },
    ]);
  });

  it('is heard even when only a comment comes', async () => {
    const heard: true[] = [];
    const { body } = bodyOf([': keep-alive\n\n', ': keep-alive\n\n']);
    const watching = { signal: never, heard: () => void heard.push(true) };
    expect(await all(readEvents(body, watching))).toEqual([]);
    expect(heard).toHaveLength(2);
  });

  it('that breaks is a failure of the network', async () => {
    const { body } = bodyOf(['data: 1\n\n'], 'fail');
    await expect(all(readEvents(body, { signal: never }))).rejects.toMatchObject({ code: 'network' });
  });

  it('ends the answer when it is not read any more, and when it is aborted', async () => {
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

describe('What the gateway tells', () => {
  const begin: TestEvent = { type: 'begin', name: 'tcp', hop: 'web' };

  it('of a test is asked for as events, with the token', async () => {
    const { client, requests } = clientAnswering(() =>
      answer(`event: test\ndata: ${JSON.stringify(begin)}\n\n`),
    );
    expect(await all(watchTest(client, 3, { signal: never }))).toEqual([begin]);
    const [request] = requests;
    expect([request?.method, request?.url]).toEqual(['POST', 'https://gate.example/api/servers/3/test']);
    expect(request?.headers.get('Accept')).toBe('text/event-stream');
    expect(request?.headers.get('Authorization')).toBe('Bearer sesame');
  });

  it('of servers has its name; other events are passed over', async () => {
    const { client } = clientAnswering(() =>
      answer('event: hello\ndata: {}\n\nevent: status\ndata: {"3":{"status":"online"}}\n\n'),
    );
    expect(await all(watchStatuses(client, { signal: never }))).toEqual([{ 3: { status: 'online' } }]);
  });

  it('is refused with its code', async () => {
    const body = { detail: 'Too many event streams of one user', code: 'too_many_streams' };
    const { client } = clientAnswering(() => Response.json(body, { status: 429 }));
    const watching = all(watchStatuses(client, { signal: never }));
    await expect(watching).rejects.toMatchObject({ status: 429, code: 'too_many_streams' });
  });

  it('does not come through where something else answers', async () => {
    const { client } = clientAnswering(() => answer('<h1>Welcome</h1>', 'text/html'));
    const watching = all(watchStatuses(client, { signal: never }));
    await expect(watching).rejects.toMatchObject({ code: 'no_event_stream' });
  });
});
