import type { Activity } from '../activities/activity.ts';
import type { ActivityRegistry } from '../activities/registry.ts';
import { randomToken } from '../lib/bytes/bytes.ts';
import { wellFormed } from '../lib/text/printable.ts';
import { type CredentialKind, isSameCredential, type Transport } from '../model/accounts/caller.ts';
import type { UserRow } from '../model/accounts/user.ts';
import type { WebSessionRow } from '../model/accounts/web-session.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import { PENDING_LIFETIME_S, SESSION_LIFETIME_S, type Tokens } from './tokens.ts';

const SIGNED_OUT = 'Signed out';

/** The client of a sign-in. */
export interface Origin {
  readonly ip_address: string;
  readonly user_agent: string;
  readonly via: Transport;
}

export interface Started {
  readonly id: string;
  readonly token: string;
}

/** The rows behind tokens. Ending one revokes its token and ends its terminals in this process. */
export interface WebSessions {
  /** `user` as it was when its password was checked: throws `invalid_credentials` if the password has changed since. */
  start(user: UserRow, origin: Origin): Promise<Started>;
  /** Starts a sign-in that waits for its second factor. */
  startPending(user: UserRow): Promise<Started>;
  /** Makes a session fresh again and returns until when; undefined when it has ended. */
  refresh(id: string): Promise<string | undefined>;
  /** The session as it was; undefined when the user has no such session. */
  end(user_id: number, id: string): Promise<WebSessionRow | undefined>;
  /** Returns how many there were. */
  endOthers(user_id: number, kept_id: string): Promise<number>;
  /** Also ends pending sign-ins. Returns how many sessions there were. */
  endAll(user_id: number): Promise<number>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'web_sessions' | 'pending_sign_ins'>;
  readonly tokens: Tokens;
  readonly activities: ActivityRegistry;
  readonly clock: Clock;
  /** `SERVICE_STEP_UP_SECONDS`. */
  readonly step_up_s: number;
}

export function createWebSessions(deps: Deps): WebSessions {
  const { repositories, tokens, activities, clock, step_up_s } = deps;
  const { web_sessions, pending_sign_ins } = repositories;
  const after = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000);

  return {
    async start(user, { ip_address, user_agent }) {
      const id = randomToken(16);
      const now = clock.now().toISOString();
      const expires_at = after(SESSION_LIFETIME_S);
      const row = {
        id,
        user_id: user.id,
        created_at: now,
        last_seen_at: now,
        expires_at: expires_at.toISOString(),
        fresh_until: after(step_up_s).toISOString(),
        ip_address,
        user_agent: wellFormed(user_agent, 256),
        embed: null,
        minted_session_id: null,
        minted_key_id: null,
      };
      await web_sessions.begin(row, user.password_hash);
      return { id, token: await tokens.sign({ user_id: user.id, jti: id, typ: 'session' }, expires_at) };
    },

    async startPending(user) {
      const id = randomToken(16);
      const expires_at = after(PENDING_LIFETIME_S);
      await pending_sign_ins.insert({ id, user_id: user.id, expires_at: expires_at.toISOString() });
      return { id, token: await tokens.sign({ user_id: user.id, jti: id, typ: 'pending_2fa' }, expires_at) };
    },

    async refresh(id) {
      const fresh_until = after(step_up_s).toISOString();
      return (await web_sessions.refresh(id, fresh_until)) ? fresh_until : undefined;
    },

    async end(user_id, id) {
      const ended = await web_sessions.remove(user_id, id);
      const credential = { kind: 'session', id } as const;
      if (ended)
        activities.endWhere(({ owner }) => isSameCredential(owner.credential, credential), SIGNED_OUT);
      return ended;
    },

    async endOthers(user_id, kept_id) {
      await pending_sign_ins.removeOfUser(user_id);
      const count = await web_sessions.removeOthers(user_id, kept_id);
      const kept = { kind: 'session', id: kept_id } as const;
      activities.endWhere(
        (activity) => isOfSession(activity, user_id) && !isSameCredential(activity.owner.credential, kept),
        SIGNED_OUT,
      );
      return count;
    },

    async endAll(user_id) {
      await pending_sign_ins.removeOfUser(user_id);
      const count = await web_sessions.removeOfUser(user_id);
      activities.endWhere((activity) => isOfSession(activity, user_id), SIGNED_OUT);
      return count;
    },
  };
}

/** Terminals opened with an API key end with the key instead. */
const ENDS_WITH_SESSIONS: Readonly<Record<CredentialKind, boolean>> = { session: true, api_key: false };

function isOfSession({ owner }: Activity, user_id: number): boolean {
  return owner.user_id === user_id && ENDS_WITH_SESSIONS[owner.credential.kind];
}
