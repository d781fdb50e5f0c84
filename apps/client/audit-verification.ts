import type { GatewayClient, Schemas } from './client.ts';
import { ClientError } from './client-error.ts';
import { readEvents, streamOf } from './event-stream.ts';

export type VerificationStart = 'start' | 'checkpoint';
/** Failures are thrown. */
export type AuditVerificationEvent = Exclude<Told, Failed>;

type Told = Schemas['AuditVerificationEvent'];
type Failed = Extract<Told, { type: 'failed' }>;

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
  for await (const { data } of readEvents(streamOf(answer), { signal })) {
    const event = eventOf(data);
    if (event.type === 'failed') throw new ClientError({ status: 0, code: event.code, detail: event.detail });
    yield event;
  }
}

/** Unchecked: the gateway sends only events of its own schema. */
function eventOf(data: unknown): Told {
  return data as Told;
}
