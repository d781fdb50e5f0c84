import type { TypedResponse } from 'hono';
import type { AppContext } from './env.ts';

const WHOLE_ENTRIES = 2000; // longer listings are sent in slices
const SLICE = 500; // entries: about 2 ms to serialize

interface Entries {
  readonly entries: readonly unknown[];
}

/** As JSON. A long listing is serialized in slices, so that the event loop can serve other requests in between. */
export function sendEntries<Body extends Entries>(
  c: AppContext,
  body: Body,
): TypedResponse<Body, 200, 'json'> & Response {
  if (body.entries.length <= WHOLE_ENTRIES) return asJson(c.body(JSON.stringify(body), 200, JSON_HEADERS));
  return asJson(c.body(slicesOf(body), 200, JSON_HEADERS));
}

const JSON_HEADERS = { 'Content-Type': 'application/json' };

/** The content is the JSON of the body. */
function asJson<Body>(response: Response): TypedResponse<Body, 200, 'json'> & Response {
  return response as TypedResponse<Body, 200, 'json'> & Response;
}

function slicesOf({ entries, ...rest }: Entries): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next = 0;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const head = JSON.stringify(rest).slice(0, -1); // without the closing brace
        controller.enqueue(encoder.encode(`${head},"entries":[`));
      },
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve));
        const slice = entries.slice(next, next + SLICE).map((entry) => JSON.stringify(entry));
        const separator = next > 0 && slice.length > 0 ? ',' : '';
        next += SLICE;
        const end = next >= entries.length ? ']}' : '';
        controller.enqueue(encoder.encode(separator + slice.join(',') + end));
        if (end) controller.close();
      },
    },
    { highWaterMark: 1 },
  );
}
