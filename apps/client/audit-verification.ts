import type { GatewayClient, Schemas } from './client.ts';
import { eventsOf } from './event-stream.ts';
import { ClientError } from './transport/client-error.ts';

export type VerificationStart = 'start' | 'checkpoint';
/** Failures are thrown. */
export type AuditVerificationEvent = Exclude<SentEvent, Failed>;

type SentEvent = Schemas['AuditVerificationEvent'];
type Failed = Extract<SentEvent, { type: 'failed' }>;

/** The progress and the result of a verification. Leaving the loop stops it; it can be continued. */
export async function* watchVerification(
  client: GatewayClient,
  from: VerificationStart,
  signal?: AbortSignal,
): AsyncGenerator<AuditVerificationEvent> {
  const answer = await client.http.GET('/api/auth/audit/verify', {
    params: { query: { from } },
    headers: { Accept: 'text/event-stream' },
    parseAs: 'stream',
    signal: signal ?? null,
  });
  for await (const event of eventsOf<SentEvent>(answer, { signal })) {
    if (event.type === 'failed') throw new ClientError({ status: 0, code: event.code, detail: event.detail });
    yield event;
  }
}
