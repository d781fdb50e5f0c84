import { DetailedError, type HttpRequest, Upload, type UploadOptions } from 'tus-js-client';
import type { GatewayClient } from './client.ts';
import { type ClientError, networkError, toClientError } from './client-error.ts';

const CHUNK_BYTES = 64 * 1024 * 1024; // of a request; some proxies in front of gateways take less than 100 MB

export interface UploadPlan {
  readonly server_id: number;
  readonly directory: string;
  readonly filename: string;
  readonly overwrite: boolean;
  /** Of what was begun before; without it, a new one begins. */
  readonly upload_id?: string | undefined;
}

export interface UploadWatch {
  /** Aborting leaves what was sent on the host. */
  readonly signal: AbortSignal;
  /** Bytes that are on their way or there already. */
  readonly onProgress: (sent_bytes: number) => void;
  /** It can be resumed by this id from now on. */
  readonly onBegun: (upload_id: string) => void;
}

/** How files are read and requests are sent, where there is no browser. */
export type UploadMeans = Pick<UploadOptions, 'fileReader' | 'httpStack'>;

/** Sends one file by tus 1.0, in one attempt: whether there is another one is for the caller to decide. */
export function sendFile(
  client: GatewayClient,
  file: Blob,
  options: { readonly plan: UploadPlan; readonly watch: UploadWatch; readonly means?: UploadMeans },
): Promise<void> {
  const { plan, watch, means = {} } = options;
  const { signal } = watch;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const upload = new Upload(asFile(file), {
      ...means,
      ...placeOf(client, plan),
      metadata: metadataOf(plan),
      chunkSize: CHUNK_BYTES,
      retryDelays: null,
      storeFingerprintForResuming: false,
      // The library may still begin a request after it was aborted; none of them is sent.
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

/** The library takes any Blob; its types name files. */
function asFile(file: Blob): File {
  return file as File;
}

function placeOf(client: GatewayClient, { server_id, upload_id }: UploadPlan) {
  const { href } = client.url(`/api/files/${server_id}/uploads`);
  return upload_id === undefined ? { endpoint: href } : { uploadUrl: `${href}/${upload_id}` };
}

function metadataOf({ directory, filename, overwrite }: UploadPlan) {
  return { filename, path: directory, overwrite: String(overwrite) };
}

/** With the token of that moment: an upload may outlive the one that it began with. */
async function authorize(request: HttpRequest, client: GatewayClient): Promise<void> {
  const token = client.token();
  if (token !== undefined) request.setHeader('Authorization', `Bearer ${token}`);
}

function idIn(url: string): string {
  return url.split('/').at(-1) ?? '';
}

/** An answer to HEAD has no body: its status has to do. */
async function toRefusal(error: Error): Promise<ClientError> {
  const answer = error instanceof DetailedError ? error.originalResponse : null;
  if (!answer || answer.getStatus() === 0) return networkError(error);
  const retry_after = answer.getHeader('Retry-After');
  const headers = retry_after === undefined || retry_after === null ? {} : { 'Retry-After': retry_after };
  return toClientError(
    new Response(bodyFor(answer.getStatus(), answer.getBody()), { status: answer.getStatus(), headers }),
  );
}

/** Some statuses go without a body by definition. */
function bodyFor(status: number, body: string): string | null {
  return [204, 205, 304].includes(status) ? null : body;
}
