import type { TypedResponse } from 'hono';
import type { AppContext } from './env.ts';

const PIECE_CHARACTERS = 512 * 1024; // about 2,000 entries; a name may have a hundred thousand characters
const TEXT_CHARACTERS = 64 * 1024; // escaping makes them up to six times as long

/** Shared by all answers: many of them at once would hold the event loop as long as their pieces together. */
const takeTurn = createLoopTurns();

interface Entries {
  readonly entries: readonly unknown[];
}

interface Text {
  readonly content: string;
}

/** Sends a listing as JSON. A long one is serialized as the client reads it, and each part is dropped once it is serialized. */
export function sendEntries<Body extends Entries>(
  c: AppContext,
  { entries, ...rest }: Body,
): TypedResponse<Body, 200, 'json'> & Response {
  return sendPieces(c, entryPieces(rest, [...entries]));
}

/** Sends a text as JSON. A long one is escaped as the client reads it. */
export function sendText<Body extends Text>(
  c: AppContext,
  { content, ...rest }: Body,
): TypedResponse<Body, 200, 'json'> & Response {
  return sendPieces(c, textPieces(rest, content));
}

function sendPieces<Body>(c: AppContext, pieces: Pieces): TypedResponse<Body, 200, 'json'> & Response {
  const first = pieces.next();
  if (first.done) return asJson(c.body(first.value, 200, JSON_HEADERS));
  c.set('is_streamed', true);
  return asJson(c.body(streamOf(first, pieces), 200, JSON_HEADERS));
}

/** Returns the last piece. */
type Pieces = Iterator<string, string>;

const JSON_HEADERS = { 'Content-Type': 'application/json' };

/** The content is the JSON of the body. */
function asJson<Body>(response: Response): TypedResponse<Body, 200, 'json'> & Response {
  return response as TypedResponse<Body, 200, 'json'> & Response;
}

/** By their length, which is what they take to serialize. Empties `entries`. */
function* entryPieces(rest: object, entries: unknown[]): Generator<string, string> {
  let piece = `${opening(rest)}"entries":[`;
  for (let index = 0; index < entries.length; index += 1) {
    piece += (index > 0 ? ',' : '') + JSON.stringify(entries[index]);
    entries[index] = undefined;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  return `${piece}]}`;
}

/** A pair of surrogates may be cut: JSON escapes each half, and they are one character again when they are read. */
function* textPieces(rest: object, content: string): Generator<string, string> {
  let piece = `${opening(rest)}"content":"`;
  for (let at = 0; at < content.length; at += TEXT_CHARACTERS) {
    piece += JSON.stringify(content.slice(at, at + TEXT_CHARACTERS)).slice(1, -1);
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  return `${piece}"}`;
}

/** An object that is still open. */
function opening(rest: object): string {
  const head = JSON.stringify(rest).slice(0, -1);
  return head === '{' ? head : `${head},`;
}

function streamOf(first: IteratorResult<string, string>, rest: Pieces): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let begun: typeof first | undefined = first;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await takeTurn();
        const { value, done } = begun ?? rest.next();
        begun = undefined;
        controller.enqueue(encoder.encode(value));
        if (done) controller.close();
      },
    },
    { highWaterMark: 1 },
  );
}

/** Lets those who wait for it work one by one, each in a turn of the event loop of its own. */
function createLoopTurns(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const next = () => {
    waiting.shift()?.();
    if (waiting.length > 0) setTimeout(next);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setTimeout(next);
    });
}
