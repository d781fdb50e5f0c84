import type { Actor, AuditTrail } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import { digest } from '../lib/bytes/bytes.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { Share, ShareInput } from '../model/terminal.ts';
import { assertMay } from '../policy/account.ts';
import { assertSessionOwner } from '../policy/session-access.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import type { ActiveShare, ActiveShares } from './active-shares.ts';
import type { KeptTerminal } from './kept-terminal.ts';
import type { SessionLedger } from './ledger.ts';
import type { LiveSession } from './live/live-session.ts';

const ENDED = 'The share has ended';

/** Lets the owner of a session share it and stop sharing. */
export interface Shares {
  share(caller: Caller, session: LiveSession, input: ShareInput): Promise<Share>;
  unshare(caller: Caller, session: LiveSession): Promise<void>;
  /** Goes on with the share of a session that an earlier process ran, and ends it if it has expired since. */
  restore(session: LiveSession, kept: NonNullable<KeptTerminal['share']>, actor: Actor): Promise<void>;
}

interface Deps {
  readonly active_shares: ActiveShares;
  readonly ledger: SessionLedger;
  readonly trail: AuditTrail;
  readonly background: Background;
  readonly clock: Clock;
  readonly demo_mode: boolean;
}

export function createShares({ active_shares, ledger, trail, background, clock, demo_mode }: Deps): Shares {
  function detachGuests(session: LiveSession): void {
    session.dismiss(({ role }) => role === 'guest', new Fault('share_ended', ENDED));
  }

  async function end(session: LiveSession): Promise<void> {
    active_shares.remove(session.id);
    session.shareChanged();
    detachGuests(session);
    await ledger.setShare(session.id, null);
  }

  function expire(actor: Actor, session: LiveSession): void {
    const over = end(session).then(() =>
      trail.record({ ...actor, via: null }, 'terminal_unshare', `${labelOf(session)}: expired`),
    );
    background.run('end an expired share', over);
  }

  return {
    async share(caller, session, { mode, expires_in }) {
      assertMay(caller, 'share_terminal');
      assertSessionOwner(caller, session, demo_mode);
      if (session.is_over) throw new Fault('session_not_found');
      const expires_at =
        expires_in === undefined ? undefined : new Date(clock.now().getTime() + expires_in * 1000);
      const share = active_shares.set(session.id, { mode, expires_at }, () => expire(caller, session));
      session.shareChanged();
      session.limitGuests(mode);
      const share_digest = await digest(share.token);
      if (active_shares.of(session.id)?.token !== share.token) throw new Fault('share_not_found'); // ended during the digest
      await ledger.setShare(session.id, share_digest);
      const until = expires_at ? `, until ${expires_at.toISOString()}` : '';
      await trail.record(caller, 'terminal_share', `${labelOf(session)}: ${mode}${until}`);
      return toShare(share, session);
    },

    async unshare(caller, session) {
      assertMay(caller, 'share_terminal');
      assertSessionOwner(caller, session, demo_mode);
      if (!active_shares.of(session.id)) return;
      await end(session);
      await trail.record(caller, 'terminal_unshare', labelOf(session));
    },

    async restore(session, { token, mode, expires_at: until }, actor) {
      const expires_at = until === null ? undefined : new Date(until);
      if (expires_at && expires_at <= clock.now()) return expire(actor, session);
      active_shares.restore({ token, session_id: session.id, mode, expires_at }, () =>
        expire(actor, session),
      );
      session.shareChanged();
      ledger.knowShare(session.id, await digest(token));
    },
  };
}

function toShare({ token, mode, expires_at }: ActiveShare, { server, participants }: LiveSession): Share {
  return { token, mode, server: server.name, participants, expires_at: expires_at?.toISOString() ?? null };
}

/** The name of a session in audit entries. */
export function labelOf({ server, owner, id }: LiveSession): string {
  const where = server.id === null ? server.name : `${server.name} (#${server.id})`;
  return `${where} of ${owner.username}, session ${id}`;
}
