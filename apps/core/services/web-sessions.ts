import { randomToken } from '../lib/bytes.ts';
import { printable } from '../lib/text.ts';
import type { UserRow } from '../model/user.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import type { SessionRegistry } from '../terminal/session-registry.ts';
import { SESSION_LIFETIME_S, type Tokens } from './tokens.ts';

/** Where a sign-in came from. */
export interface Origin {
  readonly ip_address: string;
  readonly user_agent: string;
}

/** The rows behind session tokens: ending one ends its token and its terminals at once. */
export interface WebSessions {
  /** Starts a session; its token. */
  start(user: UserRow, origin: Origin): Promise<string>;
  end(id: string): Promise<void>;
  endOthers(user_id: number, kept_id: string): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'web_sessions'>;
  readonly tokens: Tokens;
  readonly terminals: SessionRegistry;
  readonly clock: Clock;
}

export function createWebSessions({ repositories, tokens, terminals, clock }: Deps): WebSessions {
  const endTerminals = (ids: readonly string[]) =>
    terminals.endWhere((terminal) => ids.includes(terminal.owner.session_id), 'Signed out');
  return {
    async start(user, origin) {
      const id = randomToken(16);
      const now = clock.now();
      const expires_at = new Date(now.getTime() + SESSION_LIFETIME_S * 1000);
      await repositories.web_sessions.insert({
        id,
        user_id: user.id,
        created_at: now.toISOString(),
        last_seen_at: now.toISOString(),
        expires_at: expires_at.toISOString(),
        ip_address: origin.ip_address,
        user_agent: printable(origin.user_agent, 256),
      });
      return tokens.signSession(user.id, id, expires_at);
    },

    async end(id) {
      await repositories.web_sessions.remove(id);
      endTerminals([id]);
    },

    async endOthers(user_id, kept_id) {
      endTerminals(await repositories.web_sessions.removeOthers(user_id, kept_id));
    },
  };
}
