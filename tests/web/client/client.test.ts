import { describe, expect, it } from 'vitest';
import { createClient, take } from '#client/client.ts';
import { ClientError } from '#client/transport/client-error.ts';

interface Answering {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

function clientAnswering({ status, body, headers }: Answering, token: string | undefined = 'sesame') {
  const requests: Request[] = [];
  const refused: string[] = [];
  const client = createClient({
    base_url: 'https://gate.example/prefix',
    credentials: { token: () => token, refused: (sent) => void refused.push(sent) },
    retries: 0,
    fetch: async (request) => {
      requests.push(request);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return new Response(status === 204 ? null : text, headers ? { status, headers } : { status });
    },
  });
  return { client, requests, refused };
}

async function refusalOf(answering: Answering): Promise<ClientError> {
  const { client } = clientAnswering(answering);
  const error = await client.http.GET('/api/servers').catch((thrown: unknown) => thrown);
  if (error instanceof ClientError) return error;
  throw new Error('Was not refused');
}

describe('the client', () => {
  it('sends the token below its base URL', async () => {
    const { client, requests } = clientAnswering({ status: 200, body: [] });
    expect(await take(client.http.GET('/api/servers'))).toEqual([]);
    expect(requests[0]?.url).toBe('https://gate.example/prefix/api/servers');
    expect(requests[0]?.headers.get('Authorization')).toBe('Bearer sesame');
  });

  it('sends a body without the fields that have defaults', async () => {
    const { client, requests } = clientAnswering({ status: 201, body: { id: 1 } });
    const body = { name: 'web-1', hostname: 'web-1.example', username: 'deploy' };
    await client.http.POST('/api/servers', { body });
    expect(await requests[0]?.json()).toEqual(body);
  });

  it('builds URLs below its base URL', () => {
    const { client } = clientAnswering({ status: 200 });
    expect(client.url('/api/x', { path: '/a b' }).href).toBe('https://gate.example/prefix/api/x?path=%2Fa+b');
  });

  describe('when the session must be confirmed', () => {
    const refused = { detail: 'Confirm your identity to continue', code: 'step_up_required' };

    function clientOf(is_confirmed: boolean) {
      const bodies: string[] = [];
      let asked = 0;
      const client = createClient({
        base_url: 'https://gate.example',
        credentials: {
          token: () => 'sesame',
          confirm: async () => {
            asked += 1;
            return is_confirmed;
          },
        },
        fetch: async (request) => {
          bodies.push(await request.text());
          return asked > 0
            ? Response.json({ id: 7 }, { status: 201 })
            : Response.json(refused, { status: 403 });
        },
      });
      return { create: () => client.http.POST('/api/auth/api-keys', { body: { name: 'ci' } }), bodies };
    }

    it('repeats the request with its body', async () => {
      const { create, bodies } = clientOf(true);
      expect(await take(create())).toEqual({ id: 7 });
      expect(bodies).toEqual(['{"name":"ci"}', '{"name":"ci"}']);
    });

    it('throws the refusal if it was not confirmed', async () => {
      const { create, bodies } = clientOf(false);
      await expect(create()).rejects.toMatchObject({ code: 'step_up_required' });
      expect(bodies).toHaveLength(1);
    });
  });

  it('accepts a response without a body', async () => {
    const { client } = clientAnswering({ status: 204 });
    await expect(client.http.POST('/api/auth/logout')).resolves.toMatchObject({ data: undefined });
  });

  it('throws a refusal with its code, fields and Retry-After', async () => {
    const errors = [{ path: 'port', message: 'Too large' }, { path: 3 }];
    const body = { detail: 'Invalid request', code: 'validation', errors };
    expect(
      await refusalOf({ status: 422, body, headers: { 'Retry-After': '7', 'X-Request-Id': 'r1' } }),
    ).toMatchObject({
      status: 422,
      code: 'validation',
      detail: 'Invalid request',
      errors: [{ path: 'port', message: 'Too large' }],
      retry_after: 7,
      request_id: 'r1',
    });
  });

  it('falls back to the status when something else answers', async () => {
    const error = await refusalOf({ status: 502, body: '<h1>Bad gateway</h1>' });
    expect(error).toMatchObject({ status: 502, code: 'http_502', detail: 'HTTP 502', errors: [] });
    expect(error.retry_after).toBeUndefined();
  });

  it('reports the token that was refused', async () => {
    const body = { detail: 'Invalid token', code: 'invalid_token' };
    const { client, refused } = clientAnswering({ status: 401, body });
    await expect(client.http.GET('/api/servers')).rejects.toThrow('Invalid token');
    expect(refused).toEqual(['sesame']);
  });

  it.each(['not_authenticated', 'invalid_api_key'])('reports a refused token for %s too', async (code) => {
    const { client, refused } = clientAnswering({ status: 401, body: { detail: 'No', code } });
    await expect(client.http.GET('/api/servers')).rejects.toMatchObject({ code });
    expect(refused).toEqual(['sesame']);
  });

  it.each([
    { detail: 'Invalid 2FA code', code: 'invalid_2fa_code' },
    { detail: 'Invalid credentials', code: 'invalid_credentials' },
    '<h1>Unauthorized</h1>',
  ])('keeps the token when the refusal has another reason: %j', async (body) => {
    const { client, refused } = clientAnswering({ status: 401, body });
    await expect(client.http.POST('/api/auth/totp/disable', { body: { code: '1' } })).rejects.toThrow();
    expect(refused).toEqual([]);
  });

  it('leaves a token alone that a call passed', async () => {
    const body = { detail: 'Invalid token', code: 'invalid_token' };
    const { client, refused } = clientAnswering({ status: 401, body });
    const headers = { Authorization: 'Bearer pending' };
    const proof = client.http.POST('/api/auth/totp/verify', { body: { code: '1' }, headers });
    await expect(proof).rejects.toMatchObject({ code: 'invalid_token' });
    expect(refused).toEqual([]);
  });

  it('turns a network failure into a refusal', async () => {
    const fetch = () => Promise.reject(new TypeError('fetch failed'));
    const client = createClient({ base_url: 'https://gate.example', retries: 0, fetch });
    await expect(client.http.GET('/api/health')).rejects.toMatchObject({ status: 0, code: 'network' });
  });
});
