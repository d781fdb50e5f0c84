import type { Tickets } from '../accounts/tickets.ts';
import type { Origin, WebSessions } from '../accounts/web-sessions.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import type { Reach } from '../hosts/reach.ts';
import { sourcesIn } from '../lib/network/origins.ts';
import type { Caller, CredentialKind } from '../model/accounts/caller.ts';
import type { Ticket } from '../model/accounts/ticket.ts';
import {
  type EmbedBounds,
  type EmbedSession,
  type EmbedSetup,
  type EmbedTicketInput,
  embedLabel,
} from '../model/embed.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import type { InForce } from '../model/settings/setting.ts';
import { assertMay, credentialOf } from '../policy/account.ts';
import { withinBounds } from '../policy/embed.ts';
import type { EmbedSessions, EmbedToken } from './sessions.ts';

/** Sessions for elements in other pages: each reaches the terminal or the files of one server and nothing else. */
export interface Embedding {
  setup(caller: Caller): EmbedSetup;
  /** For a back end that signs its own users in. */
  mint(caller: Caller, input: EmbedTicketInput): Promise<Ticket>;
  /** Works once per ticket. */
  exchange(ticket: string, origin: Origin): Promise<EmbedSession>;
  renew(caller: Caller): Promise<EmbedSession>;
  /** Ends the caller's embedded session and its terminals. */
  end(caller: Caller): Promise<void>;
}

interface Deps {
  readonly sessions: EmbedSessions;
  readonly web_sessions: Pick<WebSessions, 'end'>;
  readonly tickets: Pick<Tickets, 'forEmbed' | 'redeemForEmbed'>;
  readonly reach: Reach;
  readonly trail: AuditTrail;
  readonly settings: InForce<'allowed_origins' | 'frame_ancestors'>;
}

export interface EmbeddingOptions {
  /** Integrity of the module for other pages; null when it is not built. */
  readonly embed_integrity: string | null;
}

/** In audit entries. */
const MINTERS: Readonly<Record<CredentialKind, string>> = { session: 'a session', api_key: 'an API key' };

/** What an embedded session does on its server. */
const USES = { terminal: 'open_terminal', files: 'read_files' } as const;

export function createEmbedding(deps: Deps, options: EmbeddingOptions): Embedding {
  const { sessions, web_sessions, tickets, reach, trail, settings } = deps;

  /** What a person may mint, checked again when the ticket is used. */
  async function mintable(caller: Caller, { server_id, kind }: EmbedBounds): Promise<ServerRow> {
    assertMay(caller, 'get_embed_ticket');
    return reach(caller, USES[kind], server_id);
  }

  return {
    setup(caller) {
      assertMay(caller, 'read_administration');
      const { allowed_origins, frame_ancestors } = settings.values;
      return {
        allowed_origins: sourcesIn(allowed_origins),
        frame_ancestors: sourcesIn(frame_ancestors),
        integrity: options.embed_integrity,
      };
    },

    async mint(caller, { expires_in, ...bounds }) {
      const server = await mintable(caller, bounds);
      const ticket = await tickets.forEmbed(caller, bounds, expires_in);
      await trail.record(caller, 'embed_ticket', embedLabel(bounds, server.name));
      return ticket;
    },

    async exchange(ticket, origin) {
      const { minter, bounds } = await tickets.redeemForEmbed(ticket, origin.ip_address);
      const server = await mintable(minter, bounds);
      const token = await sessions.start(minter, origin, bounds);
      const by = MINTERS[credentialOf(minter).kind];
      const until = `by ${by}, until ${token.ends_at} at most`;
      const visitor = { ...minter, via: origin.via };
      await trail.record(visitor, 'embed_start', `${embedLabel(bounds, server.name)}, ${until}`);
      return toSession(minter, bounds, { server, token });
    },

    async renew(caller) {
      assertMay(caller, 'keep_embed');
      const bounds = boundsOf(caller);
      const server = await reach(caller, USES[bounds.kind], bounds.server_id);
      return toSession(caller, bounds, { server, token: await sessions.renew(caller) });
    },

    async end(caller) {
      assertMay(caller, 'keep_embed');
      const bounds = boundsOf(caller);
      const { name } = await reach(caller, 'keep_embed', bounds.server_id);
      await web_sessions.end(caller.user_id, String(caller.credential.id));
      await trail.record(caller, 'embed_end', embedLabel(bounds, name));
    },
  };
}

function boundsOf({ bounds }: Caller): EmbedBounds {
  if (!bounds) throw new Fault('embed_only');
  return bounds;
}

function toSession(
  { username }: Caller,
  { kind, mode, ...bounds }: EmbedBounds,
  { server, token }: { server: ServerRow; token: EmbedToken },
): EmbedSession {
  const { id, name, sftp_read_only, sftp_allowed_paths } = withinBounds({ kind, mode, ...bounds }, server);
  return {
    ...token,
    token_type: 'bearer',
    kind,
    mode,
    username,
    server: { id, name, sftp_read_only, sftp_allowed_paths },
  };
}
