import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silent } from '../../support/databases/stores.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { IS_BALANCED } from '../../support/gateway/is-balanced.ts';
import { openTerminal } from '../../support/gateway/ws.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({
    env: { SERVICE_INSTANCE_ID: 'one', SERVICE_ALLOWED_ORIGINS: 'https://ops.example' },
  });
});
afterAll(() => gateway?.close());

describe('The HTTP face', () => {
  it('reports its health', async () => {
    const { status, body } = await gateway.anonymous.call('GET', '/api/health');
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'ok', instance_id: 'one', monitor_role: 'follower' });
  });

  it('serves an OpenAPI 3.1 document with the running version', async () => {
    const { body } = await gateway.anonymous.call<{ openapi: string; info: { version: string } }>(
      'GET',
      '/openapi.json',
    );
    expect(body.openapi).toBe('3.1.0');
    expect(body.info.version).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version);
  });

  it.each(['/', '/docs', '/openapi.json', '/api/health', '/api/no-such-thing', '/api/servers'])(
    'sends security headers and a request id on %s',
    async (path) => {
      const { headers } = await gateway.anonymous.call('GET', path);
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('content-security-policy')).toMatch(/script-src 'self' 'wasm-unsafe-eval';/);
    },
  );

  // nginx says which protocol it is.
  it.skipIf(IS_BALANCED)('sends HSTS only when a trusted proxy says https', async () => {
    const hsts = async (headers: Record<string, string>) =>
      (await gateway.anonymous.fetch('/api/health', { headers })).headers.get('strict-transport-security');
    expect(await hsts({})).toBeNull();
    expect(await hsts({ 'x-forwarded-proto': 'https' })).toMatch(/max-age/);
  });

  it('allows only configured origins', async () => {
    const allowed = async (origin: string) =>
      (await gateway.anonymous.fetch('/api/health', { headers: { origin } })).headers.get(
        'access-control-allow-origin',
      );
    expect(await allowed('https://ops.example')).toBe('https://ops.example');
    expect(await allowed('https://evil.example')).toBeNull();
  });

  it('refuses a body that is not JSON with 422', async () => {
    const response = await gateway.anonymous.fetch('/api/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"username":',
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'validation' });
  });

  it('answers an unknown path with 404', async () => {
    expect((await gateway.anonymous.call('GET', '/api/no-such-thing')).body).toEqual({
      detail: 'Not found',
      code: 'route_not_found',
    });
  });

  it.each(['/api/health', '/', '/openapi.json'])('refuses to upgrade %s', async (path) => {
    await expect(openTerminal(`${gateway.url}${path}`).frame('error')).rejects.toThrow(/400/);
  });
});

describe('Under SERVICE_ROOT_PATH', () => {
  let prefixed: TestGateway;
  let bare: string;

  beforeAll(async () => {
    prefixed = await startGateway({ env: { SERVICE_ROOT_PATH: '/ops/ssh/' } });
    bare = prefixed.url.replace('/ops/ssh', '');
  });
  afterAll(() => prefixed?.close());

  it('answers every kind of path below the prefix, and none outside it', async () => {
    for (const path of ['/api/health', '/openapi.json', '/', '/docs']) {
      expect((await fetch(`${bare}/ops/ssh${path}`)).status).toBe(200);
      expect((await fetch(`${bare}${path}`)).status).toBe(404);
      expect((await fetch(`${bare}/ops/sshx${path}`)).status).toBe(404);
    }
  });

  it('redirects from the bare prefix to the page', async () => {
    const response = await fetch(`${bare}/ops/ssh`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([308, '/ops/ssh/']);
  });

  it('applies the gates there, to sockets too', async () => {
    expect((await prefixed.anonymous.call('GET', '/api/servers')).status).toBe(401);
    expect((await openTerminal(`${prefixed.url}/api/ws/terminal/1`).closed()).code).toBe(4001);
    expect((await prefixed.admin.call('GET', '/api/servers')).status).toBe(200);
  });

  it('names the prefix in the OpenAPI document', async () => {
    const { body } = await prefixed.anonymous.call('GET', '/openapi.json');
    expect(body['servers']).toEqual([{ url: '/ops/ssh' }]);
  });
});

describe('An untrusted proxy', () => {
  // Each instance warns once.
  it.skipIf(IS_BALANCED)('causes one warning, since all its clients share one address', async () => {
    const warnings: object[] = [];
    const warn = (fields: object, message: string) => void warnings.push({ ...fields, message });
    const gateway = await startGateway({
      env: { SERVICE_TRUSTED_PROXIES: '' },
      untouched: true,
      log: { ...silent, warn },
    });
    for (const _round of [1, 2]) {
      await gateway.anonymous.fetch('/api/health', { headers: { 'x-forwarded-for': '192.0.2.1' } });
    }
    await gateway.close();
    expect(warnings).toEqual([
      { peer: '127.0.0.1', message: expect.stringContaining('SERVICE_TRUSTED_PROXIES') },
    ]);
  });
});
