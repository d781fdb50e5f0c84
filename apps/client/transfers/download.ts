import type { GatewayClient } from '../client.ts';
import { ClientError, failureOf, networkError } from '../transport/client-error.ts';
import { delayAfter, pause } from '../transport/retries.ts';
import { abortable } from './abortable.ts';

const PARTIAL = 206;

export interface WantedFile {
  readonly server_id: number;
  readonly path: string;
  /** The first byte to send. */
  readonly offset?: number;
  /** The file as it was; another one is refused with 412. */
  readonly etag?: string | undefined;
}

export interface Download {
  /** Resumes by itself where a connection broke, and fails if the file has changed by then. */
  readonly body: ReadableStream<Uint8Array>;
  /** Size of the whole file. */
  readonly size_bytes: number;
  readonly etag: string | undefined;
  readonly content_type: string;
}

/** Streams a file from an offset to its end. Cancelling the stream ends the download. */
export async function downloadFile(
  client: GatewayClient,
  { server_id, path, offset = 0, etag }: WantedFile,
  signal?: AbortSignal,
): Promise<Download> {
  const ending = new AbortController();
  const ended = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal;
  const ask = (wanted: Pick<WantedFile, 'offset' | 'etag'>) =>
    request(client, { server_id, path, ...wanted }, ended);
  const first = await ask({ offset, etag });
  const { size_bytes } = first;
  const resume = async (at: number) => sameFile(first, await ask({ offset: at, etag: first.etag })).body;
  const { transfer_retries } = client;
  const reading = createReading({
    ...{ body: first.body, resume, offset, size_bytes },
    ...{ signal: ended, transfer_retries },
  });
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const bytes = await reading.next();
        if (bytes) controller.enqueue(bytes);
        else controller.close();
      },
      cancel: (reason) => ending.abort(reason),
    },
    { highWaterMark: 0 },
  );
  return { ...first, body };
}

/** Files and directories of one directory, as a ZIP archive. It is built while it is sent, so it cannot be resumed. */
export async function downloadArchive(
  client: GatewayClient,
  wanted: { readonly server_id: number; readonly paths: readonly string[]; readonly base_path: string },
  signal?: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { server_id, paths, base_path } = wanted;
  const answer = await client.http.POST('/api/files/{server_id}/download-zip', {
    params: { path: { server_id } },
    body: { paths: [...paths], base_path },
    parseAs: 'stream',
    signal: signal ?? null,
  });
  return abortable(bodyOf(answer), signal);
}

/** A proxy may drop `If-Match`, or answer from its cache. */
function sameFile(first: Download, again: Download): Download {
  if (again.etag === first.etag && again.size_bytes === first.size_bytes) return again;
  again.body.cancel().catch(() => undefined); // it is not needed
  throw new ClientError({
    status: 412,
    code: 'stale_etag',
    detail: 'The file has changed during the download',
  });
}

interface Reading {
  readonly body: ReadableStream<Uint8Array>;
  readonly resume: (at: number) => Promise<ReadableStream<Uint8Array>>;
  readonly offset: number;
  readonly size_bytes: number;
  readonly signal: AbortSignal;
  /** In a row, without a byte. */
  readonly transfer_retries: number;
}

/** Reads one body after the other until the file is complete. */
function createReading({ body, resume, offset, size_bytes, signal, transfer_retries }: Reading) {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined = body.getReader();
  let at = offset;
  let failures = 0;

  async function read(): Promise<Uint8Array | undefined> {
    reader ??= (await resume(at)).getReader();
    const { done, value } = await reader.read();
    if (!done) {
      at += value.length;
      failures = 0;
      return value;
    }
    if (at < size_bytes) throw networkError('The response ended early');
    return undefined;
  }

  return {
    /** Undefined at the end of the file. */
    async next(): Promise<Uint8Array | undefined> {
      for (;;) {
        try {
          return await read();
        } catch (error) {
          signal.throwIfAborted();
          reader = undefined;
          const is_lasting = error instanceof ClientError && error.status !== 0;
          if (is_lasting || failures >= transfer_retries) throw failureOf(error);
          await pause(delayAfter(failures), signal);
          failures += 1;
        }
      }
    },
  };
}

async function request(
  client: GatewayClient,
  { server_id, path, offset = 0, etag }: WantedFile,
  signal: AbortSignal,
): Promise<Download> {
  const answer = await client.http.GET('/api/files/{server_id}/download', {
    params: { path: { server_id }, query: { path } },
    headers: {
      ...(offset > 0 ? { Range: `bytes=${offset}-` } : {}), // an empty file has no range
      ...(etag === undefined ? {} : { 'If-Match': etag }),
    },
    parseAs: 'stream',
    signal,
  });
  const { headers } = answer.response;
  const body = abortable(bodyOf(answer), signal);
  const whole_bytes = wholeSize(answer.response, offset);
  if (whole_bytes !== undefined)
    return {
      body,
      size_bytes: whole_bytes,
      etag: headers.get('ETag') ?? undefined,
      content_type: headers.get('Content-Type') ?? 'application/octet-stream',
    };
  body.cancel().catch(() => undefined); // it is not needed
  throw networkError('The response begins elsewhere');
}

/** Undefined for a response that does not begin at the offset: a proxy may drop the range, or answer with another one. */
function wholeSize({ headers, status }: Response, offset: number): number | undefined {
  const [, start, whole] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('Content-Range') ?? '') ?? [];
  if (offset === 0) return Number(whole ?? headers.get('Content-Length') ?? 0);
  return status === PARTIAL && Number(start) === offset ? Number(whole) : undefined;
}

function bodyOf({
  data,
  response,
}: {
  readonly data?: unknown;
  readonly response: Response;
}): ReadableStream<Uint8Array> {
  if (data instanceof ReadableStream) return data;
  return response.body ?? new Response('').body ?? new ReadableStream();
}
