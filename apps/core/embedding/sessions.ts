import type { TokenClaims, Tokens } from '../accounts/tokens.ts';
import type { Origin } from '../accounts/web-sessions.ts';
import { Fault } from '../errors.ts';
import { randomToken } from '../lib/bytes/bytes.ts';
import { wellFormed } from '../lib/text/printable.ts';
import { byKind, type Caller, type Credential } from '../model/accounts/caller.ts';
import type { WebSessionRow } from '../model/accounts/web-session.ts';
import { EMBED_FIRST_S, EMBED_MOST_S, EMBED_TOKEN_S, type EmbedBounds, toBounds } from '../model/embed.ts';
import type { InForce } from '../model/settings/setting.ts';
import { credentialOf } from '../policy/account.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';

/** The token of an embedded session and its times. */
export interface EmbedToken {
  readonly access_token: string;
  readonly expires_in: number;
  readonly ends_at: string;
}

/** The rows and tokens of embedded sessions. */
export interface EmbedSessions {
  /** The session ends with the credential of `minter`. */
  start(minter: Caller, origin: Origin, bounds: EmbedBounds): Promise<EmbedToken>;
  /** Throws `embed_over` when the session cannot last longer. */
  renew(caller: Caller): Promise<EmbedToken>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'web_sessions' | 'api_keys'>;
  readonly tokens: Tokens;
  readonly settings: InForce<'max_embeds_per_user'>;
  readonly clock: Clock;
}

export function createEmbedSessions({ repositories, tokens, settings, clock }: Deps): EmbedSessions {
  const { web_sessions, api_keys } = repositories;
  const now = () => clock.now().toISOString();
  const after = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000).toISOString();

  /** An embedded session does not outlive the expiry of what minted it. */
  async function endOf(minter: Caller): Promise<string | null> {
    const found = await byKind<Promise<{ expires_at: string | null } | undefined>>(credentialOf(minter), {
      session: async ({ id }) => (await web_sessions.active(id, now()))?.session,
      api_key: async ({ id }) => (await api_keys.activeById(id, now()))?.key,
    });
    if (!found) throw new Fault('invalid_ticket');
    return found.expires_at;
  }

  async function sign(claims: Omit<TokenClaims, 'typ'>, expires_at: string, ends_at: string) {
    const access_token = await tokens.sign({ ...claims, typ: 'embedded' }, new Date(expires_at));
    const left_ms = Date.parse(expires_at) - clock.now().getTime();
    return { access_token, expires_in: Math.max(0, Math.floor(left_ms / 1000)), ends_at };
  }

  return {
    async start(minter, { ip_address, user_agent }, bounds) {
      const ends_at = earlier(after(EMBED_MOST_S), await endOf(minter));
      const expires_at = earlier(after(EMBED_FIRST_S), ends_at);
      const id = randomToken(16);
      const row = {
        id,
        user_id: minter.user_id,
        created_at: now(),
        last_seen_at: now(),
        expires_at,
        fresh_until: null,
        ip_address,
        user_agent: wellFormed(user_agent, 256),
        embed: { ...toBounds(bounds), ends_at },
        ...mintedBy(credentialOf(minter)),
      };
      await web_sessions.insertEmbed(row, settings.values.max_embeds_per_user || undefined);
      return sign({ user_id: minter.user_id, jti: id }, expires_at, ends_at);
    },

    async renew({ user_id, credential }) {
      const id = String(credential.id);
      const session = (await web_sessions.active(id, now()))?.session;
      if (!session?.embed) throw new Fault('invalid_token');
      const { ends_at } = session.embed;
      if (session.expires_at >= ends_at) throw new Fault('embed_over');
      const expires_at = earlier(after(EMBED_TOKEN_S), ends_at);
      if (!(await web_sessions.extend(id, now(), expires_at))) throw new Fault('invalid_token');
      return sign({ user_id, jti: id }, expires_at, ends_at);
    },
  };
}

/** It ends with what minted it. */
function mintedBy(credential: Credential) {
  return byKind<Pick<WebSessionRow, 'minted_session_id' | 'minted_key_id'>>(credential, {
    session: ({ id }) => ({ minted_session_id: id, minted_key_id: null }),
    api_key: ({ id }) => ({ minted_session_id: null, minted_key_id: id }),
  });
}

function earlier(time: string, limit: string | null): string {
  return limit !== null && limit < time ? limit : time;
}
