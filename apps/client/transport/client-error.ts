import { BodyTooLong, boundedText } from './bounded-body.ts';

export interface FieldError {
  readonly path: string;
  readonly message: string;
}

export interface Refusal {
  /** HTTP status, or 0 without a response. */
  readonly status: number;
  /** The gateway's stable error code, or `network`. */
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  /** Seconds until the same request may succeed. */
  readonly retry_after?: number;
  /** Finds the request in the gateway's log. */
  readonly request_id?: string;
}

/** An error response of the gateway, or a network failure. */
export class ClientError extends Error {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly FieldError[];
  readonly retry_after: number | undefined;
  readonly request_id: string | undefined;

  constructor(refusal: Refusal, options?: ErrorOptions) {
    super(refusal.detail, options);
    this.name = 'ClientError';
    this.status = refusal.status;
    this.code = refusal.code;
    this.detail = refusal.detail;
    this.errors = refusal.errors ?? [];
    this.retry_after = refusal.retry_after;
    this.request_id = refusal.request_id;
  }
}

export function networkError(cause: unknown): ClientError {
  return new ClientError(
    { status: 0, code: 'network', detail: 'Cannot reach the gateway. Check your connection and try again.' },
    { cause },
  );
}

/** What a failed request throws: why it was cancelled, the refusal, or a network failure. */
export function failureOf(error: unknown, signal?: AbortSignal | null): Error {
  if (error instanceof ClientError) return error;
  return signal?.aborted && error instanceof Error ? error : networkError(error);
}

/** Reads an error response. A proxy's own error page has no code. */
export async function toClientError(response: Response): Promise<ClientError> {
  const body = await jsonOf(response);
  const retry_after = secondsOf(response.headers.get('Retry-After'));
  const request_id = response.headers.get('X-Request-Id');
  const errors = body['errors'];
  return new ClientError({
    status: response.status,
    code: textOf(body['code']) ?? `http_${response.status}`,
    detail: textOf(body['detail']) ?? (response.statusText || `HTTP ${response.status}`),
    ...(Array.isArray(errors) ? { errors: errors.filter(isFieldError) } : {}),
    ...(retry_after === undefined ? {} : { retry_after }),
    ...(request_id ? { request_id } : {}),
  });
}

const MOST_BYTES = 1024 * 1024; // a refusal has a few thousand at most; a proxy's page may have no end

/** The body as text; empty if it is longer than any refusal. */
export async function limitedText(response: Response): Promise<string> {
  try {
    return await boundedText(response, MOST_BYTES);
  } catch (error) {
    if (error instanceof BodyTooLong) return '';
    throw error;
  }
}

async function jsonOf(response: Response): Promise<Readonly<Record<string, unknown>>> {
  try {
    const body: unknown = JSON.parse(await limitedText(response));
    return isRecord(body) ? body : {};
  } catch {
    return {}; // not JSON: the status must do
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isFieldError(value: unknown): value is FieldError {
  return isRecord(value) && typeof value['path'] === 'string' && typeof value['message'] === 'string';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function secondsOf(header: string | null): number | undefined {
  const seconds = Number(header);
  return header && Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : undefined;
}
