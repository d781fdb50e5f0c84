import type { Tickets } from '../accounts/tickets.ts';
import type { Origin, WebSessions } from '../accounts/web-sessions.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import type { Reach } from '../hosts/reach.ts';
import type { Caller } from '../model/caller.ts';
import {
  type EmbedBounds,
  type EmbedSession,
  type EmbedSetup,
  type EmbedTicketInput,
  embedLabel,
} from '../model/embed.ts';
import type { ServerRow } from '../model/server.ts';
import type { Ticket } from '../model/ticket.ts';
import { assertAdmin, assertScope } from '../policy/account.ts';
import { assertUnbounded, withinBounds } from '../policy/embed.ts';
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
}

export interface EmbeddingOptions {
  readonly allowed_origins: readonly string[];
  readonly frame_ancestors: readonly string[];
  /** Of the module for other pages; null when it is not built. */
  readonly embed_integrity: string | null;
}

export function createEmbedding(deps: Deps, options: EmbeddingOptions): Embedding {
  const { sessions, web_sessions, tickets, reach, trail } = deps;

  /** What a person may mint, checked again when the ticket is used. */
  async function mintable(caller: Caller, { server_id, kind }: EmbedBounds): Promise<ServerRow> {
    assertUnbounded(caller);
    if (caller.must_change_password) throw new Fault('password_change_required');
    assertScope(caller, kind);
    return kind === 'terminal' ? reach.forTerminal(caller, server_id) : reach.forSftp(caller, server_id);
  }

  return {
    setup(caller) {
      assertAdmin(caller);
      const { allowed_origins, frame_ancestors, embed_integrity: integrity } = options;
      return { allowed_origins: [...allowed_origins], frame_ancestors: [...frame_ancestors], integrity };
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
      const by = minter.credential.kind === 'api_key' ? 'an API key' : 'a session';
      const until = `by ${by}, until ${token.ends_at} at most`;
      await trail.record(minter, 'embed_start', `${embedLabel(bounds, server.name)}, ${until}`);
      return toSession(minter, bounds, { server, token });
    },

    async renew(caller) {
      const bounds = boundsOf(caller);
      const { server_id, kind } = bounds;
      const server = await (kind === 'terminal' ? reach.forTerminal : reach.forSftp)(caller, server_id);
      return toSession(caller, bounds, { server, token: await sessions.renew(caller) });
    },

    async end(caller) {
      const bounds = boundsOf(caller);
      const { name } = await reach.registered(caller, bounds.server_id);
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
