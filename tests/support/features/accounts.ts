import { eq } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import type { CreatedApiKey } from '#core/model/accounts/api-key.ts';
import type { User } from '#core/model/accounts/user.ts';
import { type Actor, freshAddress, type TestGateway } from '../gateway/gateway.ts';
import { openTerminal, type TerminalClient } from '../gateway/ws.ts';

export const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Who this is. */
export async function userOf(actor: Actor): Promise<User> {
  const { status, body } = await actor.call<User>('GET', '/api/auth/me');
  if (status !== 200) throw new Error(`Nobody: ${status} ${JSON.stringify(body)}`);
  return body;
}

export async function createKey(owner: Actor, fields: object = {}): Promise<CreatedApiKey> {
  const { status, body } = await owner.call<CreatedApiKey>('POST', '/api/auth/api-keys', {
    name: 'of a test',
    ...fields,
  });
  if (status !== 201) throw new Error(`API key not created: ${JSON.stringify(body)}`);
  return body;
}

/** An open shell, started with this token. */
export async function openShell(
  gateway: TestGateway,
  server_id: number,
  token: string,
): Promise<TerminalClient> {
  const shell = openTerminal(`${gateway.url}/api/ws/terminal/${server_id}?cols=80&rows=24`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await shell.frame('session');
  return shell;
}

const PAST = '2020-01-01T00:00:00.000Z';

/** As if the session had been signed in to long ago. */
export function makeStale(gateway: Pick<TestGateway, 'store'>, actor: Actor): Promise<Actor> {
  return changeSession(gateway, actor, { fresh_until: PAST });
}

/** As if the session had reached its end. */
export function makeExpired(gateway: Pick<TestGateway, 'store'>, actor: Actor): Promise<Actor> {
  return changeSession(gateway, actor, { expires_at: PAST });
}

async function changeSession(
  { store }: Pick<TestGateway, 'store'>,
  actor: Actor,
  fields: { fresh_until?: string; expires_at?: string },
): Promise<Actor> {
  const { sessions } = store.tables;
  const own = eq(sessions.id, decodeJwt(actor.token).jti ?? '');
  await store.db.update(sessions).set(fields).where(own);
  return actor;
}

/** From a fresh address, so the limit of sign-ins only affects the tests that are about it. */
export async function stepUp(actor: Actor, proof: object) {
  const response = await actor.fetch('/api/auth/step-up', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': freshAddress() },
    body: JSON.stringify(proof),
  });
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, body };
}
