import { type ClientRequest, request } from 'node:http';
import { expect, it } from 'vitest';
import { userOf } from '../../support/features/accounts.ts';
import { type Actor, describeEachGateway } from '../../support/gateway/gateway.ts';

interface Held {
  /** Sends the rest of the body and returns the response. */
  finish(): Promise<{ status: number; code: string }>;
}

/** A request whose body stalls after its first byte. */
async function hold(actor: Actor, url: string, path: string, body: object): Promise<Held> {
  const text = JSON.stringify(body);
  const held: ClientRequest = request(`${url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${actor.token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    },
  });
  const answered = new Promise<{ status: number; code: string }>((resolve, reject) => {
    held.once('error', reject);
    held.once('response', async (response) => {
      const chunks = await response.toArray();
      const { code = '' } = JSON.parse(Buffer.concat(chunks).toString());
      resolve({ status: response.statusCode ?? 0, code });
    });
  });
  await new Promise((resolve) => held.write(text.slice(0, 1), resolve));
  return {
    finish() {
      held.end(text.slice(1));
      return answered;
    },
  };
}

describeEachGateway('A request whose body is held back', (gateway) => {
  it.each([
    ['/api/auth/users', { username: 'backdoor', password: 'tulip-tulip-9', is_admin: true }],
    ['/api/auth/change-password', { new_password: 'tulip-tulip-9' }],
    ['/api/auth/api-keys', { name: 'backdoor' }],
    ['/api/servers', { name: 'backdoor', hostname: '192.0.2.1', username: 'root' }],
  ])('has no rights that were revoked in the meantime: %s', async (path, body) => {
    const rogue = await gateway().user({ username: `rogue ${path}`, is_admin: true });
    const { id } = await userOf(rogue);
    const held = await hold(rogue, gateway().url, path, body);
    await rogue.call('GET', '/api/auth/me'); // Answered after the stalled request was admitted.
    await gateway().admin.call('PATCH', `/api/auth/users/${id}`, { disabled: true });
    expect(await held.finish()).toEqual({ status: 401, code: 'invalid_token' });
  });

  it('holds up no request of its user that has none', async () => {
    const slow = await gateway().user({ username: 'slow' });
    const holdOne = () => hold(slow, gateway().url, '/api/auth/api-keys', {});
    const held = await Promise.all(Array.from({ length: 16 }, holdOne));
    expect((await slow.call('GET', '/api/auth/me')).status).toBe(200);
    const statuses = await Promise.all(held.map(async (one) => (await one.finish()).status));
    expect(new Set(statuses)).toEqual(new Set([422]));
  });
});
