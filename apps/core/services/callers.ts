import { Fault } from '../errors.ts';
import type { Caller } from '../model/caller.ts';
import type { UserRow } from '../model/user.ts';
import type { WebSessionRow } from '../model/web-session.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import type { Tokens } from './tokens.ts';

const TOUCH_INTERVAL_MS = 60_000; // last_seen_at is for people; a write per request would be waste
const API_KEY_PREFIX = 'sp_';

/** Turns what a request carries into who is calling, fresh from the database. */
export interface Callers {
  fromBearer(token: string, ip_address: string): Promise<Caller>;
  fromSession(session_id: string, ip_address: string): Promise<Caller>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'users' | 'web_sessions'>;
  readonly tokens: Tokens;
  readonly clock: Clock;
  readonly background: Background;
}

export function createCallers({ repositories, tokens, clock, background }: Deps): Callers {
  const { users, web_sessions } = repositories;

  function touch(session: WebSessionRow): void {
    const now = clock.now();
    if (now.getTime() - Date.parse(session.last_seen_at) < TOUCH_INTERVAL_MS) return;
    background.run('touch session', web_sessions.touch(session.id, now.toISOString()));
  }

  async function fromSession(session_id: string, ip_address: string, user_id?: number): Promise<Caller> {
    const found = await web_sessions.active(session_id, clock.now().toISOString());
    if (!found || (user_id !== undefined && found.user.id !== user_id)) throw new Fault('invalid_token');
    touch(found.session);
    return toCaller(found.user, { session_id, ip_address, pending_2fa: false });
  }

  async function fromPending(user_id: number, ip_address: string): Promise<Caller> {
    const user = await users.byId(user_id);
    if (!user || user.disabled) throw new Fault('invalid_token');
    return toCaller(user, { session_id: '', ip_address, pending_2fa: true });
  }

  return {
    fromSession: (session_id, ip_address) => fromSession(session_id, ip_address),

    async fromBearer(token, ip_address) {
      if (token.startsWith(API_KEY_PREFIX)) throw new Fault('invalid_api_key');
      const claims = await tokens.verify(token);
      if (!claims) throw new Fault('invalid_token');
      return claims.typ === 'pending_2fa'
        ? fromPending(claims.user_id, ip_address)
        : fromSession(claims.jti, ip_address, claims.user_id);
    },
  };
}

function toCaller(user: UserRow, via: Pick<Caller, 'session_id' | 'ip_address' | 'pending_2fa'>): Caller {
  return {
    user_id: user.id,
    username: user.username,
    is_admin: user.is_admin,
    allowed_groups: user.allowed_groups,
    must_change_password: user.must_change_password,
    ...via,
  };
}
