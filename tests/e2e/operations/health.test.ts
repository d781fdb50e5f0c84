import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../support/databases/postgres.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type KeptLog, keepLog } from '../../support/gateway/logs.ts';

describe('Readiness', () => {
  let server: TestPostgres;
  let gateway: TestGateway;
  let log: KeptLog;
  beforeAll(async () => {
    log = keepLog();
    server = await startPostgres();
    gateway = await startGateway({ database_url: server.url, log });
  });
  afterAll(async () => {
    await gateway?.close();
    await server?.stop();
  });
  const ready = () => gateway.anonymous.call('GET', '/api/health/ready');

  it('is public', async () => {
    expect(await ready()).toMatchObject({ status: 200, body: { status: 'ready' } });
  });

  it('fails within two seconds when the database hangs, while the process is still healthy', async () => {
    server.freeze();
    const asked_ms = performance.now();
    expect(await ready()).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
    expect(performance.now() - asked_ms).toBeLessThan(4000);
    expect((await gateway.anonymous.call('GET', '/api/health')).status).toBe(200);
    server.thaw();
    await expect.poll(async () => (await ready()).status).toBe(200);
  });

  it('is logged at debug only, since it is requested so often', async () => {
    await ready();
    const line = log.lines.findLast((one) => one.includes('/api/health/ready')) ?? '';
    expect(JSON.parse(line)).toMatchObject({ level: 'debug', request_id: expect.any(String) });
  });
});

describe('A page on another site', () => {
  const headersOf = async (env: Record<string, string>) => {
    const gateway = await startGateway({ env, untouched: true });
    const { headers } = await gateway.anonymous.call('GET', '/api/health');
    await gateway.close();
    return {
      policy: headers.get('content-security-policy'),
      old: headers.get('x-frame-options'),
    };
  };

  it('cannot embed ours', async () => {
    expect(await headersOf({})).toEqual({
      policy: expect.stringContaining("frame-ancestors 'none'"),
      old: 'DENY',
    });
  });

  it('may embed ours where SERVICE_FRAME_ANCESTORS lists it', async () => {
    const env = { SERVICE_FRAME_ANCESTORS: "'self', https://*.ops.example" };
    expect(await headersOf(env)).toEqual({
      policy: expect.stringContaining("frame-ancestors 'self' https://*.ops.example"),
      old: null,
    });
  });

  it.each(['*', 'ops.example', 'https://ops.example; script-src *', 'https://ops.example/x'])(
    'is not listed by %s',
    async (value) => {
      await expect(startGateway({ env: { SERVICE_FRAME_ANCESTORS: value } })).rejects.toThrow(
        'SERVICE_FRAME_ANCESTORS: ',
      );
    },
  );
});
