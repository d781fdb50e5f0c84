import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyring } from '#core/crypto/keyring.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { enrol } from '../../support/features/totp.ts';
import {
  type Actor,
  FIRST_PASSWORD,
  SECRET_KEY,
  startGateway,
  type TestGateway,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';
import { GUARDED, OPERATIONS, pathOf, withQuery } from '../../support/gateway/operations.ts';
import { openTerminal } from '../../support/gateway/ws.ts';

type Minted = { token: string; status: number; code: string; passes?: string };

describe.each(DIALECTS)('The gates (%s)', (dialect) => {
  let gateway: TestGateway;
  let database: FreshDatabase;
  let must_change: Actor;
  let user: Actor;
  let tokens: Record<string, Minted>;

  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    gateway = await startGateway({ database_url: database.url });
    must_change = await gateway.user({ username: 'newcomer', must_change_password: true });
    user = await gateway.user({ username: 'plain' });
    const revoked = await gateway.user({ username: 'gone' });
    await revoked.call('POST', '/api/auth/logout');
    const unknown = { status: 401, code: 'invalid_token' };
    tokens = {
      garbage: { token: 'not-a-token', ...unknown },
      'another key': { token: await mint({ secret: 'some other secret key, long enough' }), ...unknown },
      'no signature': { token: unsigned(user.token), ...unknown },
      expired: { token: await mint({ lifetime: '-1s' }), ...unknown },
      'without a session row': { token: await mint({}), ...unknown },
      revoked: { token: revoked.token, ...unknown },
      'API key': { token: `sp_${'x'.repeat(43)}`, status: 401, code: 'invalid_api_key' },
      pending_2fa: {
        token: await pendingToken(gateway),
        status: 403,
        code: 'pending_2fa',
        passes: 'pending_2fa',
      },
      'must change': {
        token: must_change.token,
        status: 403,
        code: 'password_change_required',
        passes: 'password_change',
      },
    };
  });

  afterAll(async () => {
    await gateway?.close();
    await database?.cleanup();
  });

  describe.each(GUARDED.filter(({ socket }) => !socket))('$method $path', (operation) => {
    const { method, allow } = operation;
    const path = pathOf(operation);

    it('refuses a request without a token', async () => {
      const { status, body, headers } = await gateway.anonymous.call(method, path);
      expect({ status, body }).toEqual({
        status: 401,
        body: { detail: 'Not authenticated', code: 'not_authenticated' },
      });
      expect(headers.get('www-authenticate')).toBe('Bearer');
    });

    it('refuses every kind of invalid token', async () => {
      for (const [kind, { token, status, code, passes }] of Object.entries(tokens)) {
        if (passes && allow.includes(passes)) continue;
        const answer = await gateway.actor(token).call(method, path);
        expect({ kind, status: answer.status, code: answer.body['code'] }).toEqual({ kind, status, code });
      }
    });

    it('reads a token from the query only where the route allows it', async () => {
      if (allow.includes('token_in_query')) return;
      const answer = await gateway.anonymous.call(method, `${path}?token=${user.token}`);
      expect(answer.body['code']).toBe('not_authenticated');
    });
  });

  describe.each(GUARDED.filter(({ allow }) => allow.includes('token_in_query')))(
    '$path?token=',
    (operation) => {
      const { socket } = operation;
      const path = pathOf(operation);

      it('applies the gates to a token in the query', async () => {
        for (const [kind, { token, status, code }] of Object.entries(tokens)) {
          const asked = `${path}?token=${encodeURIComponent(token)}`;
          if (socket) {
            const client = openTerminal(`${gateway.url}${asked}`);
            expect({ kind, frame: await client.frame('error') }).toMatchObject({ kind, frame: { code } });
            expect((await client.closed()).code).toBe(4001);
          } else {
            const answer = await gateway.anonymous.call('GET', asked);
            expect({ kind, status: answer.status, code: answer.body['code'] }).toEqual({
              kind,
              status,
              code,
            });
          }
        }
      });
    },
  );

  describe.each(GUARDED.filter(({ ticket, socket }) => ticket !== undefined && !socket))(
    '$path',
    (operation) => {
      const url = new URL(withQuery(operation, pathOf(operation)), 'http://gateway');
      const asked = (destination: string) => {
        url.searchParams.set('token', gateway.admin.token);
        const headers = { 'Sec-Fetch-Dest': destination };
        return gateway.anonymous.fetch(url.pathname + url.search, { headers });
      };

      it.each([
        ...['script', 'style', 'worker', 'sharedworker', 'serviceworker', 'audioworklet', 'paintworklet'],
        ...['xslt', 'json', 'manifest', 'frame', 'iframe', 'fencedframe', 'embed', 'object', 'font', 'track'],
        ...['report', 'webidentity', 'a destination of the future'],
      ])('is refused as %s', async (destination) => {
        const answer = await asked(destination);
        expect(answer.status).toBe(403);
        expect(await answer.json()).toMatchObject({ code: 'destination_refused' });
      });

      it.each(['document', 'empty', 'image', 'audio', 'video'])('is served as %s', async (destination) => {
        expect((await asked(destination)).status).toBe(404); // the gates have let it through
      });
    },
  );

  describe.each(['GET', 'POST', 'DELETE'])('%s of an unknown path of the API', (method) => {
    it('applies the gates to a token, and else answers 404', async () => {
      for (const [kind, { token, status, code }] of Object.entries(tokens)) {
        const answer = await gateway.actor(token).call(method, '/api/no/such/path');
        expect({ kind, status: answer.status, code: answer.body['code'] }).toEqual({ kind, status, code });
      }
      for (const actor of [gateway.anonymous, user, gateway.admin]) {
        const { status, body } = await actor.call(method, '/api/no/such/path');
        expect({ status, code: body['code'] }).toEqual({ status: 404, code: 'route_not_found' });
      }
    });
  });

  describe('The terminal WebSocket', () => {
    const path = '/api/ws/terminal/1';

    it('closes with 4001 for every kind of invalid token in the header', async () => {
      for (const [kind, { token, code }] of Object.entries(tokens)) {
        const client = openTerminal(`${gateway.url}${path}`, {
          headers: { authorization: `Bearer ${token}` },
        });
        expect({ kind, frame: await client.frame('error') }).toMatchObject({ kind, frame: { code } });
        expect((await client.closed()).code).toBe(4001);
      }
    });

    it('closes with 4001 without any credential', async () => {
      expect((await openTerminal(`${gateway.url}${path}`).closed()).code).toBe(4001);
    });

    it('opens only once with one ticket', async () => {
      const { body } = await user.call<{ ticket: string; expires_in: number }>('POST', '/api/auth/ws-ticket');
      expect(body.expires_in).toBe(30);
      const url = `${gateway.url}${path}?ticket=${body.ticket}`;
      expect((await openTerminal(url).closed()).code).toBe(4004); // Authenticated, but the server does not exist.
      expect((await openTerminal(url).closed()).code).toBe(4001);
    });

    it('answers 403 to the upgrade from another origin', async () => {
      const client = openTerminal(`${gateway.url}${path}`, {
        headers: { authorization: `Bearer ${user.token}`, origin: 'https://evil.example' },
      });
      await expect(client.frame('error')).rejects.toThrow(/403/);
    });

    it('accepts its own origin', async () => {
      const client = openTerminal(`${gateway.url}${path}`, {
        headers: { authorization: `Bearer ${user.token}`, origin: gateway.url },
      });
      expect((await client.closed()).code).toBe(4004);
    });

    it('answers 426 to a request without an upgrade', async () => {
      expect((await user.call('GET', path)).status).toBe(426);
    });
  });

  describe('Demo mode', () => {
    let demo: TestGateway;

    beforeAll(async () => {
      demo = await startGateway({ env: { SERVICE_DEMO_MODE: 'true' }, untouched: true });
    });
    afterAll(() => demo?.close());

    it('refuses every write outside the allowlist, before anything else', async () => {
      const writes = OPERATIONS.filter(
        ({ method, allow }) => !['GET', 'OPTIONS'].includes(method) && !allow.includes('demo_write'),
      );
      for (const operation of writes) {
        const { method, path } = operation;
        const { status, body } = await demo.anonymous.call(method, pathOf(operation), {});
        expect({ path, status, body }).toEqual({
          path,
          status: 403,
          body: { detail: 'Demo mode: write operations are disabled', code: 'demo_mode' },
        });
      }
    });

    it('refuses a write to an unmatched path', async () => {
      expect((await demo.anonymous.call('POST', '/api/no/such/thing')).status).toBe(403);
      expect((await demo.anonymous.call('GET', '/api/no/such/thing')).status).toBe(404);
    });

    it('still allows a sign-in, and reports that it is a demo', async () => {
      await demo.signIn('admin', FIRST_PASSWORD);
      expect((await demo.anonymous.call('GET', '/api/config')).body).toEqual({
        demo_mode: true,
        demo_credentials: { username: 'demo', password: 'demo' },
      });
    });
  });
});

/** Of a sign-in that awaits its second factor. */
async function pendingToken(gateway: TestGateway): Promise<string> {
  await enrol(await gateway.user({ username: 'careful' }));
  return (await gateway.signIn('careful', USER_PASSWORD)).token;
}

async function mint({ secret = SECRET_KEY, lifetime = '1h' }): Promise<string> {
  const { signing } = await createKeyring(secret);
  return new SignJWT({ typ: 'session' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('1')
    .setJti('minted-by-the-tests')
    .setIssuedAt(Math.floor(Date.now() / 1000) - 60)
    .setExpirationTime(lifetime)
    .sign(signing);
}

function unsigned(token: string): string {
  const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
  return `${header}.${token.split('.')[1]}.`;
}
