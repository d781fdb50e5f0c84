import { eq } from 'drizzle-orm';
import { makeStale } from '../features/accounts.ts';
import { embed } from '../features/embeds.ts';
import { enrol } from '../features/totp.ts';
import { type Actor, logIn, type TestGateway, USER_PASSWORD } from './gateway.ts';
import type { Operation } from './operations.ts';

/** One kind of caller, and the refusal it should get. */
export interface CallerKind {
  actor(): Promise<Actor>;
  /** The refusal's code; undefined when access is allowed. */
  refusal(operation: Operation): string | undefined;
}

type Scope = 'read' | 'files' | 'terminal' | 'admin';

const SCOPES: readonly Scope[] = ['read', 'files', 'terminal', 'admin'];
const GROUP = 'lab';

/** Every kind of caller that the contract distinguishes, for one gateway. */
export async function callerKinds(gateway: TestGateway): Promise<Record<string, CallerKind>> {
  const member = await gateway.user({ username: 'member', allowed_groups: [GROUP] });
  const member_key = gateway.actor(await createKey(member));
  return {
    none: always(gateway.anonymous, 'not_authenticated'),
    'user in the group': session(gateway, 'member'),
    'user out of the group': await stranger(gateway),
    admin: await administrator(gateway),
    'stale user': await staleSession(gateway, 'stale-user', false),
    'stale admin': await staleSession(gateway, 'stale-chief', true),
    'pending 2FA': await pending(gateway),
    'must change the password': await mustChange(gateway),
    'disabled session': await disabledSession(gateway),
    'revoked session': await revokedSession(gateway),
    'API key of a user': {
      actor: async () => member_key,
      refusal: (operation) => ofKey(operation, ['read', 'files', 'terminal'], false),
    },
    ...(await embeds(gateway)),
    ...(await keysOfAdmin(gateway)),
    ...(await deadKeys(gateway)),
  };
}

function always(actor: Actor, code: string): CallerKind {
  return { actor: async () => actor, refusal: () => code };
}

/** A new session each time, because some operations end it. */
function session(gateway: TestGateway, username: string, is_admin = false): CallerKind {
  return {
    async actor() {
      const { body } = await logIn(gateway.anonymous, username, USER_PASSWORD);
      return gateway.actor(body.access_token);
    },
    refusal: ({ access }) => (access === 'admin' && !is_admin ? 'admin_only' : undefined),
  };
}

async function stranger(gateway: TestGateway): Promise<CallerKind> {
  await gateway.user({ username: 'stranger', allowed_groups: ['elsewhere'] });
  return session(gateway, 'stranger');
}

async function administrator(gateway: TestGateway): Promise<CallerKind> {
  await gateway.user({ username: 'chief', is_admin: true });
  return session(gateway, 'chief', true);
}

async function staleSession(gateway: TestGateway, username: string, is_admin: boolean): Promise<CallerKind> {
  await gateway.user({ username, is_admin, allowed_groups: [GROUP] });
  const fresh = session(gateway, username, is_admin);
  return {
    actor: async () => makeStale(gateway, await fresh.actor()),
    refusal: (operation) => fresh.refusal(operation) ?? (operation.fresh ? 'step_up_required' : undefined),
  };
}

async function pending(gateway: TestGateway): Promise<CallerKind> {
  await enrol(await gateway.user({ username: 'careful', is_admin: true }));
  return {
    async actor() {
      const { body } = await logIn(gateway.anonymous, 'careful', USER_PASSWORD);
      return gateway.actor(body.access_token);
    },
    refusal: ({ allow }) => (allow.includes('pending_2fa') ? undefined : 'pending_2fa'),
  };
}

async function mustChange(gateway: TestGateway): Promise<CallerKind> {
  await gateway.user({ username: 'newcomer', is_admin: true, must_change_password: true });
  return {
    ...session(gateway, 'newcomer'),
    refusal: ({ allow }) => (allow.includes('password_change') ? undefined : 'password_change_required'),
  };
}

async function disabledSession(gateway: TestGateway): Promise<CallerKind> {
  const actor = await gateway.user({ username: 'barred' });
  await patchUser(gateway, actor, { disabled: true });
  return always(actor, 'invalid_token');
}

async function revokedSession(gateway: TestGateway): Promise<CallerKind> {
  const actor = await gateway.user({ username: 'gone' });
  await actor.call('POST', '/api/auth/logout');
  return always(actor, 'invalid_token');
}

async function keysOfAdmin(gateway: TestGateway): Promise<Record<string, CallerKind>> {
  const owner = await gateway.user({ username: 'automaton', is_admin: true });
  const kinds = SCOPES.map(async (scope): Promise<[string, CallerKind]> => {
    const key = gateway.actor(await createKey(owner, { scopes: [scope] }));
    return [
      `API key of an admin, ${scope}`,
      { actor: async () => key, refusal: (operation) => ofKey(operation, [scope], true) },
    ];
  });
  return Object.fromEntries(await Promise.all(kinds));
}

async function deadKeys(gateway: TestGateway): Promise<Record<string, CallerKind>> {
  const idle = await gateway.user({ username: 'idle' });
  const idle_key = await createKey(idle);
  await patchUser(gateway, idle, { disabled: true });

  const due = await gateway.user({ username: 'due', is_admin: true });
  const due_key = await createKey(due);
  await patchUser(gateway, due, { must_change_password: true });

  const owner = await gateway.user({ username: 'forgetful' });
  const revoked_key = await createKey(owner);
  const keys = await owner.call<{ id: number }[]>('GET', '/api/auth/api-keys');
  for (const { id } of keys.body) await owner.call('DELETE', `/api/auth/api-keys/${id}`);

  const expired_key = await createKey(owner);
  const { db, tables } = gateway.store;
  const { api_keys } = tables;
  const expired = eq(api_keys.key_prefix, expired_key.slice(0, 11));
  await db.update(api_keys).set({ expires_at: '2020-01-01T00:00:00.000Z' }).where(expired);
  const dead = (key: string, code: string) => always(gateway.actor(key), code);
  return {
    'API key of a disabled user': dead(idle_key, 'invalid_api_key'),
    'API key of a user who must change the password': dead(due_key, 'password_change_required'),
    'revoked API key': dead(revoked_key, 'invalid_api_key'),
    'expired API key': dead(expired_key, 'invalid_api_key'),
    'unknown API key': dead(`sp_${'x'.repeat(43)}`, 'invalid_api_key'),
  };
}

async function createKey(owner: Actor, fields: { scopes?: readonly Scope[] } = {}): Promise<string> {
  const { status, body } = await owner.call<{ key: string }>('POST', '/api/auth/api-keys', {
    name: 'of a test',
    ...fields,
  });
  if (status !== 201) throw new Error(`API key not created: ${JSON.stringify(body)}`);
  return body.key;
}

async function patchUser(gateway: TestGateway, actor: Actor, patch: object): Promise<void> {
  const me = await actor.call<{ id: number }>('GET', '/api/auth/me');
  const { status } = await gateway.admin.call('PATCH', `/api/auth/users/${me.body.id}`, patch);
  if (status !== 200) throw new Error(`User not changed: ${status}`);
}

/** Sessions for elements in other pages, minted by an administrator. */
async function embeds(gateway: TestGateway): Promise<Record<string, CallerKind>> {
  const minter = await gateway.user({ username: 'portal', is_admin: true });
  const { id } = await gateway.addServer({ name: 'embedded', port: 1, group: GROUP });
  const kinds = (['terminal', 'files'] as const).flatMap((kind) =>
    (['rw', 'ro'] as const).map((mode): [string, CallerKind] => [
      `embedded ${kind}, ${mode}`,
      {
        actor: () => embed(gateway, minter, { server_id: id, kind, mode }),
        refusal: (operation) => ofEmbed(operation, kind, mode),
      },
    ]),
  );
  return Object.fromEntries(kinds);
}

/** The refusal of an embedded session. */
export function ofEmbed({ embed }: Operation, kind: string, mode: string): string | undefined {
  if (!embed || (embed.kind !== 'any' && embed.kind !== kind)) return 'embed_refused';
  return embed.writes && mode === 'ro' ? 'embed_read_only' : undefined;
}

/** The refusal of an API key. */
export function ofKey(
  { access, scope }: Operation,
  scopes: readonly Scope[],
  is_admin: boolean,
): string | undefined {
  if (scope === 'session') return 'session_required';
  if (access === 'admin' && !is_admin) return 'admin_only';
  if (scope === 'any') return undefined;
  return scopes.some((one) => one === scope) ? undefined : 'scope_missing';
}
