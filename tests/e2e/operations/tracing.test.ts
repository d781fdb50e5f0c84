import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FileHost, startFileHost } from '../../support/features/file-host.ts';
import { type KeptSpans, keepSpans } from '../../support/gateway/spans.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;

describe('A traced request', () => {
  let host: FileHost;
  let spans: KeptSpans;
  let request_id: string | null;
  beforeAll(async () => {
    spans = keepSpans();
    host = await startFileHost({ gateway: { env: { SERVICE_TRACING: 'true' } } });
    await host.put('a.txt', 'x');
    const path = `/api/files/${host.server.id}/ls?path=${encodeURIComponent(host.at())}`;
    const response = await host.gateway.admin.fetch(path, { headers: { traceparent: PARENT } });
    request_id = response.headers.get('x-request-id');
  });
  afterAll(async () => {
    await host?.stop();
    spans.stop();
  });
  const inTrace = () => spans.all().filter((span) => span.spanContext().traceId === TRACE);
  const named = (name: string) => inTrace().find((span) => span.name === name);
  const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;
  const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId;

  it('continues the trace that its headers name', () => {
    expect(parentOf(named('GET /api/files/{server_id}/ls'))).toBe('b7ad6b7169203331');
  });

  it('is named after its route, with status and request id', () => {
    expect(named('GET /api/files/{server_id}/ls')?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/api/files/{server_id}/ls',
      'http.response.status_code': 200,
      request_id,
    });
  });

  it('contains the file operation, and in it the connection to the host', () => {
    const work = named('sftp ls');
    expect(parentOf(work)).toBe(idOf(named('GET /api/files/{server_id}/ls')));
    expect(work?.attributes).toEqual({ server_id: host.server.id, operation: 'ls' });
    expect(parentOf(named('ssh connect'))).toBe(idOf(work));
  });

  it('contains no file names', () => {
    expect(JSON.stringify(inTrace().map(({ name, attributes }) => [name, attributes]))).not.toContain(
      host.at(),
    );
  });
});
