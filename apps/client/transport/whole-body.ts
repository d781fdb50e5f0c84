import { boundedChunks, boundedText } from './bounded-body.ts';
import { ClientError, failureOf } from './client-error.ts';

const MOST_BYTES = 256 * 1024 * 1024; // a listing may have a million entries
const JSON_BEGINNING = /^[[{"\-\dtfn]/;

export type ParseAs = 'json' | 'text' | 'blob' | 'arrayBuffer' | 'stream';

interface Wanted {
  readonly parseAs: ParseAs;
  readonly signal: AbortSignal;
}

/** Lets a successful response be read as asked for, or throw a ClientError: it may be cut off, endless, or a proxy's page. */
export async function holdToBody(response: Response, { parseAs, signal }: Wanted): Promise<void> {
  if (!response.body || parseAs === 'stream' || response.status === 204) return;
  const guarded = async <T>(reading: Promise<T>): Promise<T> => {
    try {
      return await reading;
    } catch (cause) {
      throw bodyError(response, { signal, cause });
    }
  };
  if (parseAs === 'blob') {
    const blob = response.blob.bind(response); // a browser may keep a long one on its disk
    return define(response, { blob: () => guarded(blob()) });
  }
  if (parseAs === 'arrayBuffer') {
    const bytes = await guarded(readBytes(response));
    return define(response, { arrayBuffer: async () => bytes });
  }
  const read = await guarded(parseAs === 'json' ? readJson(response) : readText(response));
  define(response, { text: async () => read.text, json: async () => read.value });
}

interface Read {
  readonly text: string;
  readonly value?: unknown;
}

async function readJson(response: Response): Promise<Read> {
  const text = await boundedText(response, MOST_BYTES, (beginning) => {
    if (!JSON_BEGINNING.test(beginning)) throw new SyntaxError('The body is not JSON');
  });
  const is_empty = text === '' && response.status !== 200; // a created upload has no body
  return { text, value: is_empty ? undefined : JSON.parse(text) };
}

async function readText(response: Response): Promise<Read> {
  return { text: await boundedText(response, MOST_BYTES) };
}

async function readBytes(response: Response): Promise<ArrayBuffer> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of boundedChunks(response, MOST_BYTES)) chunks.push(chunk);
  return new Blob(chunks).arrayBuffer();
}

function define(response: Response, readers: Readonly<Record<string, () => Promise<unknown>>>): void {
  for (const [name, value] of Object.entries(readers)) Object.defineProperty(response, name, { value });
}

function bodyError(
  { status, headers }: Response,
  { signal, cause }: { readonly signal: AbortSignal; readonly cause: unknown },
): Error {
  if (signal.aborted) return failureOf(signal.reason, signal);
  const request_id = headers.get('X-Request-Id');
  const detail =
    'The response is incomplete or does not come from the gateway. Check the proxy and try again.';
  const refusal = { status, code: 'invalid_response', detail, ...(request_id ? { request_id } : {}) };
  return new ClientError(refusal, { cause });
}
