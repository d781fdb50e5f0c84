import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { AppEnv, Runtime } from '#api/http/env.ts';
import { securityHeaders } from '#api/http/headers.ts';

const runtime = {
  remoteAddress: () => '10.0.0.2',
  isTrustedProxy: () => false,
} as unknown as Runtime; // only these two are asked

async function headersWith(ancestors: readonly string[]): Promise<Headers> {
  const app = new Hono<AppEnv>().use(securityHeaders(runtime, () => ancestors)).get('/', (c) => c.text(''));
  return (await app.request('http://gateway/')).headers;
}

describe('The sites that may frame a page', () => {
  it('are listed in the policy', async () => {
    const headers = await headersWith(["'self'", 'https://*.a.example']);
    expect(headers.get('content-security-policy')).toMatch(
      /; frame-ancestors 'self' https:\/\/\*\.a\.example$/,
    );
    expect(headers.get('x-frame-options')).toBeNull();
  });

  it('never add a directive to it', async () => {
    const headers = await headersWith(['https://a;sandbox', "https://a'unsafe-inline'", 'a;script-src', '*']);
    expect(headers.get('content-security-policy')).toMatch(/; frame-ancestors 'none'$/);
    expect(headers.get('x-frame-options')).toBe('DENY');
  });
});
