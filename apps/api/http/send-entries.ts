import type { TypedResponse } from 'hono';
import type { AppContext } from './env.ts';

const PIECE_CHARACTERS = 512 * 1024; // about 2,000 entries; a name may have a hundred thousand characters

interface Entries {
  readonly entries: readonly unknown[];
}

/** As JSON. A long listing is serialized in pieces, so that the event loop can serve other requests in between. */
export function sendEntries<Body extends Entries>(
  c: AppContext,
  body: Body,
): TypedResponse<Body, 200, 'json'> & Response {
  const pieces = piecesOf(body);
  const first = pieces.next();
  const second = pieces.next();
  if (second.done) return asJson(c.body(first.value ?? '', 200, JSON_HEADERS));
  return asJson(c.body(streamOf([first.value ?? '', second.value], pieces), 200, JSON_HEADERS));
}

const JSON_HEADERS = { 'Content-Type': 'application/json' };

/** The content is the JSON of the body. */
function asJson<Body>(response: Response): TypedResponse<Body, 200, 'json'> & Response {
  return response as TypedResponse<Body, 200, 'json'> & Response;
}

/** By their length, which is what they take to serialize. */
function* piecesOf({ entries, ...rest }: Entries): Generator<string, undefined> {
  const head = JSON.stringify(rest).slice(0, -1); // without the closing brace
  let piece = `${head}${head === '{' ? '' : ','}"entries":[`;
  for (const [index, entry] of entries.entries()) {
    piece += (index > 0 ? ',' : '') + JSON.stringify(entry);
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]}`;
}

function streamOf(begun: string[], rest: Iterator<string, undefined>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve));
        const piece = begun.shift() ?? rest.next().value;
        if (piece === undefined) controller.close();
        else controller.enqueue(encoder.encode(piece));
      },
    },
    { highWaterMark: 1 },
  );
}
