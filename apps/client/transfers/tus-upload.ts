import { DetailedError, type HttpRequest, Upload } from 'tus-js-client';
import type { GatewayClient } from '../client.ts';
import { type ClientError, networkError, toClientError } from '../transport/client-error.ts';
import { fetchMeans } from './fetch-stack.ts';

const CHUNK_BYTES = 64 * 1024 * 1024; // per request; some proxies accept less than 100 MB
const FETCH_CHUNK_BYTES = 8 * 1024 * 1024; // fetch reports no progress within a request

export interface UploadPlan {
  readonly server_id: number;
  readonly directory: string;
  readonly filename: string;
  readonly overwrite: boolean;
  /** The upload to resume; without it, a new one is created. */
  readonly upload_id?: string | undefined;
}

export interface UploadWatch {
  /** Aborting keeps what has been sent on the host. */
  readonly signal: AbortSignal;
  /** Bytes sent so far, including those in flight. */
  readonly onProgress: (sent_bytes: number) => void;
  /** From now on the upload can be resumed with this id. */
  readonly onBegun: (upload_id: string) => void;
}

/** Sends one file with tus 1.0 in a single attempt. Retrying is up to the caller. */
export function sendFile(
  client: GatewayClient,
  file: Blob,
  { plan, watch }: { readonly plan: UploadPlan; readonly watch: UploadWatch },
): Promise<void> {
  const { signal } = watch;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const upload = new Upload(asFile(file), {
      ...meansOf(client),
      ...placeOf(client, plan),
      metadata: metadataOf(plan),
      retryDelays: null,
      storeFingerprintForResuming: false,
      // The library may start a request after an abort; it is not sent.
      onBeforeRequest: (request) =>
        signal.aborted ? Promise.reject(signal.reason) : authorize(request, client),
      onProgress: (sent_bytes) => signal.aborted || watch.onProgress(sent_bytes),
      onUploadUrlAvailable: () => signal.aborted || watch.onBegun(idIn(upload.url ?? '')),
      onSuccess: () => settle(resolve),
      onError: (error) => void toRefusal(error).then((refusal) => settle(() => reject(refusal))),
    });
    const onAbort = () => {
      void upload.abort();
      reject(signal.reason);
    };
    const settle = (end: () => void) => {
      signal.removeEventListener('abort', onAbort);
      end();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    upload.start();
  });
}

/** A browser's requests report their progress. */
function meansOf({ fetch }: GatewayClient) {
  if (typeof XMLHttpRequest === 'function') return { chunkSize: CHUNK_BYTES };
  return { ...fetchMeans(fetch), chunkSize: FETCH_CHUNK_BYTES };
}

/** The library accepts any Blob, but its types require a File. */
function asFile(file: Blob): File {
  return file as File;
}

function placeOf(client: GatewayClient, { server_id, upload_id }: UploadPlan) {
  const { href } = client.url(`/api/files/${server_id}/uploads`);
  return upload_id === undefined
    ? { endpoint: href }
    : { uploadUrl: `${href}/${encodeURIComponent(upload_id)}` };
}

function metadataOf({ directory, filename, overwrite }: UploadPlan) {
  return { filename, path: directory, overwrite: String(overwrite) };
}

const ELSEWHERE = 'The upload was sent to another origin, which must not learn the token';

/** Uses the current token, because an upload may outlive the one it started with. */
async function authorize(request: HttpRequest, client: GatewayClient): Promise<void> {
  const token = client.token();
  if (new URL(request.getURL()).origin !== client.url('').origin) throw networkError(ELSEWHERE);
  if (token !== undefined) request.setHeader(...client.tokenHeader(token));
}

function idIn(url: string): string {
  return url.split('/').at(-1) ?? '';
}

/** A HEAD response has no body, so the status must do. */
async function toRefusal(error: Error): Promise<ClientError> {
  const answer = error instanceof DetailedError ? error.originalResponse : null;
  const status = answer?.getStatus() ?? 0;
  if (!answer || status < 200 || status > 599) return networkError(error); // a proxy may invent one, which no Response takes
  const retry_after = answer.getHeader('Retry-After');
  const headers = retry_after === undefined || retry_after === null ? {} : { 'Retry-After': retry_after };
  return toClientError(new Response(bodyFor(status, answer.getBody()), { status, headers }));
}

/** Some statuses have no body by definition. */
function bodyFor(status: number, body: string): string | null {
  return [204, 205, 304].includes(status) ? null : body;
}
