import { Fault } from '../errors.ts';
import { digest } from '../lib/bytes/bytes.ts';
import { ALL_SCOPES, type ApiKeyRow } from '../model/accounts/api-key.ts';
import { byKind, type Caller, type Credential, type Transport } from '../model/accounts/caller.ts';
import type { UserRow } from '../model/accounts/user.ts';
import type { WebSessionRow } from '../model/accounts/web-session.ts';
import type { EmbedBounds } from '../model/embed.ts';
import { canReach } from '../policy/server-access.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import { API_KEY_PREFIX, isApiKey, prefixOfKey } from './api-keys.ts';
import type { TokenClaims, Tokens } from './tokens.ts';

const TOUCH_INTERVAL_MS = 60_000; // avoids a database write for every request

/** Resolves the credential of a request to a caller, read from the database each time. */
export interface Callers {
  fromBearer(token: string, ip_address: string): Promise<Caller>;
  /** Reloads a caller. */
  fromCredential(credential: Credential, ip_address: string): Promise<Caller>;
}

/** What depends on the credential. */
type Credited = Pick<Caller, 'credential' | 'scopes' | 'is_fresh' | 'ip_address'>;

// A program that signs in with a password looks like the page: no header tells them apart safely.
const TRANSPORTS: Readonly<Record<Caller['credential']['kind'], Transport>> = {
  session: 'page',
  pending_2fa: 'page',
  api_key: 'api',
};

interface Deps {
  readonly repositories: Pick<Repositories, 'web_sessions' | 'pending_sign_ins' | 'api_keys' | 'servers'>;
  readonly tokens: Tokens;
  readonly clock: Clock;
  readonly background: Background;
  readonly demo_mode: boolean;
}

export function createCallers({ repositories, tokens, clock, background, demo_mode }: Deps): Callers {
  const { web_sessions, pending_sign_ins, api_keys, servers } = repositories;
  const now = () => clock.now().toISOString();
  const beforeLastMinute = () => new Date(clock.now().getTime() - TOUCH_INTERVAL_MS).toISOString();

  function touchSession({ id, last_seen_at }: WebSessionRow): void {
    if (last_seen_at > beforeLastMinute()) return;
    background.run('touch session', web_sessions.touch(id, now()));
  }

  function touchKey({ id, last_used_at }: ApiKeyRow): void {
    if (last_used_at !== null && last_used_at > beforeLastMinute()) return;
    background.run('touch API key', api_keys.touch(id, now(), beforeLastMinute()));
  }

  function toCaller(user: UserRow, credited: Credited): Caller {
    return {
      user_id: user.id,
      username: user.username,
      is_admin: user.is_admin,
      allowed_groups: user.allowed_groups,
      must_change_password: user.must_change_password,
      in_demo: demo_mode,
      via: TRANSPORTS[credited.credential.kind],
      ...credited,
    };
  }

  /** `claims` are those of its token; without them the session was found through a ticket. */
  async function fromSession(id: string, ip_address: string, claims?: TokenClaims): Promise<Caller> {
    const found = await web_sessions.active(id, now());
    if (!found || (claims && !isTokenOf(claims, found))) throw new Fault('invalid_token');
    if (found.session.embed) return fromEmbed(found.session, found.session.embed, found.user, ip_address);
    touchSession(found.session);
    const { fresh_until } = found.session;
    return toCaller(found.user, {
      credential: { kind: 'session', id },
      scopes: ALL_SCOPES,
      is_fresh: fresh_until !== null && fresh_until > now(),
      ip_address,
    });
  }

  /** Acts with no right of the user but the reach of one server, and ends when the user loses that. */
  async function fromEmbed(
    session: WebSessionRow,
    { server_id, kind, mode }: EmbedBounds,
    user: UserRow,
    ip_address: string,
  ): Promise<Caller> {
    const server = await servers.byId(server_id);
    if (!server || !canReach(user, server)) {
      // Expired, not removed: the sweep of expired ones records its end.
      background.run('end an embedded session', web_sessions.extend(session.id, now(), now()));
      throw new Fault('invalid_token');
    }
    touchSession(session);
    const { id, expires_at } = session;
    const caller = toCaller(user, {
      credential: { kind: 'session', id, expires_at },
      scopes: [kind],
      is_fresh: false,
      ip_address,
    });
    const bounds = { server_id, kind, mode };
    return { ...caller, via: 'embed', is_admin: false, allowed_groups: [server.group], bounds };
  }

  function fromKey(found: { key: ApiKeyRow; user: UserRow } | undefined, ip_address: string): Caller {
    if (!found) throw new Fault('invalid_api_key');
    touchKey(found.key);
    const { id, scopes, expires_at } = found.key;
    const credential = { kind: 'api_key', id, expires_at: expires_at ?? undefined } as const;
    return toCaller(found.user, { credential, scopes, is_fresh: false, ip_address });
  }

  async function fromPending({ jti, user_id }: TokenClaims, ip_address: string): Promise<Caller> {
    const user = await pending_sign_ins.active(jti, now());
    if (user?.id !== user_id) throw new Fault('invalid_token');
    const credential = { kind: 'pending_2fa', id: jti } as const;
    return toCaller(user, { credential, scopes: [], is_fresh: false, ip_address });
  }

  async function fromKeyText(text: string, ip_address: string): Promise<Caller> {
    if (!isApiKey(text)) throw new Fault('invalid_api_key');
    return fromKey(await api_keys.active(prefixOfKey(text), await digest(text), now()), ip_address);
  }

  return {
    fromCredential: (credential, ip_address) =>
      byKind(credential, {
        session: ({ id }) => fromSession(id, ip_address),
        api_key: async ({ id }) => fromKey(await api_keys.activeById(id, now()), ip_address),
      }),

    async fromBearer(token, ip_address) {
      if (token.startsWith(API_KEY_PREFIX)) return fromKeyText(token, ip_address);
      const claims = await tokens.verify(token);
      if (!claims) throw new Fault('invalid_token');
      return claims.typ === 'pending_2fa'
        ? fromPending(claims, ip_address)
        : fromSession(claims.jti, ip_address, claims);
    },
  };
}

function isTokenOf({ user_id, typ }: TokenClaims, found: { session: WebSessionRow; user: UserRow }): boolean {
  return found.user.id === user_id && (typ === 'embedded') === (found.session.embed !== null);
}
