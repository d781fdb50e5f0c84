import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { authorizationOf } from '#api/http/authenticate.ts';
import { isOwnOrigin } from '#api/http/client-ip.ts';
import type { AppEnv, Runtime } from '#api/http/env.ts';
import { provenRequest } from '#api/http/forward.ts';
import { createSend } from '../../../apps/client/transport/sending.ts';
import { createTokenHeader } from '../../../apps/client/transport/token-header.ts';

const PROXY = '10.0.0.2';
const runtime = {
  remoteAddress: () => PROXY,
  isTrustedProxy: (address: string) => address === PROXY,
} as unknown as Runtime; // only these two are asked
const untrusting = { ...runtime, isTrustedProxy: () => false } as Runtime;

/** What the request with these headers is judged to be. */
async function judged(
  judge: (c: Parameters<typeof authorizationOf>[0]) => unknown,
  headers: Readonly<Record<string, string>>,
): Promise<unknown> {
  const app = new Hono<AppEnv>().get('/', (c) => c.json({ is: judge(c) ?? null }));
  return (await (await app.request('http://gateway/', { headers })).json()).is;
}

describe('The origin of a page', () => {
  it.each([
    ['http://example.org:8444', { host: 'example.org:8444' }, true],
    ['http://example.org', { host: 'EXAMPLE.org' }, true],
    ['http://example.org', { host: 'example.org:80' }, true],
    ['https://example.org', { host: 'example.org:443' }, true],
    ['http://example.org:443', { host: 'example.org' }, false],
    ['http://example.org:8444', { host: 'example.org' }, false],
    ['http://example.org:8444', { host: 'example.org', 'x-forwarded-port': '8444' }, true],
    ['http://[::1]:8444', { host: '[::1]', 'x-forwarded-port': '8444' }, true],
    ['https://example.org', { host: 'gateway:8443', 'x-forwarded-host': 'example.org' }, true],
    ['http://example.org', { host: 'other.org' }, false],
    ['null', { host: 'null' }, false],
    ['file://', { host: '' }, false],
  ])('%s is the gateway’s own for %j: %s', async (origin, headers, expected) => {
    expect(await judged((c) => isOwnOrigin(c, runtime, origin), headers)).toBe(expected);
  });

  it('is not completed by a proxy that is not trusted', async () => {
    for (const headers of [{ 'x-forwarded-port': '8444' }, { 'x-forwarded-host': 'example.org:8444' }]) {
      const judge = (c: Parameters<typeof authorizationOf>[0]) =>
        isOwnOrigin(c, untrusting, 'http://example.org:8444');
      expect(await judged(judge, { host: 'example.org', ...headers })).toBe(false);
    }
  });
});

describe('The second authorization header', () => {
  const second = 'Bearer mine';
  it.each([
    [{ authorization: 'Basic b3BzOng=', 'x-sallyport-authorization': second }, second],
    [{ 'x-sallyport-authorization': second }, second],
    [{ authorization: '', 'x-sallyport-authorization': second }, second],
    [{ authorization: 'Bearer other', 'x-sallyport-authorization': second }, 'Bearer other'],
    [{ authorization: 'Basic b3BzOng=' }, 'Basic b3BzOng='],
    [{}, null],
  ])(
    'counts only where the first belongs to a proxy, is empty or is missing: %j',
    async (headers, expected) => {
      expect(await judged(authorizationOf, headers)).toBe(expected);
    },
  );

  it('is part of what a proof of a forwarded request is bound to', async () => {
    const proven = (headers: Readonly<Record<string, string>>) =>
      judged((c) => provenRequest(c, '/').authorization, headers);
    const authorization = 'Basic b3BzOng=';
    const mine = await proven({ authorization, 'x-sallyport-authorization': second });
    expect(mine).not.toBe(await proven({ authorization, 'x-sallyport-authorization': 'Bearer other' }));
    expect(mine).not.toBe(await proven({ authorization }));
    expect(await proven({ authorization })).toBe(authorization); // as older instances sign it
  });

  it('carries the token of a client once a proxy has asked for basic authentication', async () => {
    const sent: (readonly [string | null, string | null])[] = [];
    const send = createSend({
      credentials: { token: () => 'mine' },
      header: createTokenHeader(),
      retries: 0,
      async fetch({ headers }) {
        const authorization = headers.get('authorization');
        sent.push([authorization, headers.get('x-sallyport-authorization')]);
        if (authorization === null) return new Response('{}');
        return new Response('', { status: 401, headers: { 'WWW-Authenticate': 'Basic realm="ops"' } });
      },
    });
    const url = 'http://gateway/api/auth/me';
    expect((await send(new Request(url))).status).toBe(200);
    expect((await send(new Request(url, { method: 'POST', body: '{}' }))).status).toBe(200);
    expect(sent).toEqual([
      [second, null],
      [null, second],
      [null, second],
    ]);
  });
});
