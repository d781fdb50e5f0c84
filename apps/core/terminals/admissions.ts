import type { ActivityRegistry } from '../activities/registry.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import type { Reach } from '../hosts/reach.ts';
import { randomToken } from '../lib/bytes/bytes.ts';
import { MAX_GUEST_SEATS, MAX_TERMINAL_MEMBERS } from '../limits.ts';
import { type Caller, isSameCredential } from '../model/accounts/caller.ts';
import type { ShareMode } from '../model/terminal.ts';
import { assertMay, credentialOf } from '../policy/account.ts';
import { modeOf, ownsSession } from '../policy/session-access.ts';
import type { Background } from '../ports/runtime.ts';
import type { ActiveShares } from './active-shares.ts';
import type { Admission } from './admission.ts';
import type { LiveSession } from './live/live-session.ts';
import type { Guest } from './live/member.ts';
import type { Attachment, MemberSocket } from './live/member-socket.ts';
import type { OwnerAttaching } from './live/owner-seat.ts';
import type { QuickConnects } from './quick-connects.ts';
import { labelOf } from './shares.ts';

interface Resuming extends Pick<OwnerAttaching, 'offset' | 'take_over'> {
  readonly client_id?: string | undefined;
}

/** Attaches members to running sessions. */
export interface Admissions {
  /** Reattaches the owner at `offset`. */
  resume(caller: Caller, session: LiveSession, attaching: Resuming): Promise<Admission>;
  /** Attaches a guest with a share token, in the mode that the share allows. */
  join(caller: Caller, token: string, mode: ShareMode): Promise<Admission>;
  /** Attaches an administrator, read-only. */
  watch(caller: Caller, session: LiveSession): Promise<Admission>;
}

interface Deps {
  readonly activities: ActivityRegistry<LiveSession>;
  readonly active_shares: ActiveShares;
  readonly reach: Reach;
  readonly quick_connects: Pick<QuickConnects, 'assertEnabled'>;
  readonly trail: AuditTrail;
  readonly background: Background;
  readonly demo_mode: boolean;
}

const ACTIONS = {
  guest: { enter: 'terminal_join', leave: 'terminal_leave', use: 'join' },
  watcher: { enter: 'terminal_watch', leave: 'terminal_leave', use: 'watch' },
} as const;

const GUEST_USES: ReadonlySet<string> = new Set(['join', 'watch']);

export function createAdmissions(deps: Deps): Admissions {
  const { activities, active_shares, reach, quick_connects, trail, background, demo_mode } = deps;

  async function assertStillReached(caller: Caller, { server }: LiveSession): Promise<void> {
    if (server.id === null) await quick_connects.assertEnabled(caller);
    else await reach(caller, 'open_terminal', server.id);
  }

  function left(caller: Caller, session: LiveSession, { role }: Guest): void {
    background.run('audit that a member left', trail.record(caller, ACTIONS[role].leave, labelOf(session)));
  }

  function attachGuest(caller: Caller, session: LiveSession, guest: Guest, socket: MemberSocket): Attachment {
    assertRoom(session); // others may have joined during the audit
    assertSeat(activities, caller);
    const { use } = ACTIONS[guest.role];
    const owner = { user_id: guest.user_id, username: guest.username, credential: guest.credential };
    const info = { id: guest.id, owner, server: session.server };
    activities.addGuest(info, use, (fault) => session.dismiss(({ id }) => id === guest.id, fault));
    return session.attachGuest(socket, guest, () => {
      activities.remove(guest.id);
      left(caller, session, guest);
    });
  }

  async function admitGuest(
    caller: Caller,
    session: LiveSession,
    { role, wanted, mode }: Pick<Guest, 'role' | 'wanted' | 'mode'>,
  ): Promise<Admission> {
    assertRoom(session);
    assertSeat(activities, caller);
    const { user_id, username } = caller;
    const credential = credentialOf(caller);
    const guest = { id: randomToken(12), user_id, username, credential, role, wanted, mode };
    await trail.record(caller, ACTIONS[role].enter, `${labelOf(session)}: ${mode}`, { retry: false });
    return {
      session,
      role: 'guest',
      mode,
      attach: (socket) => attachGuest(caller, session, guest, socket),
      abandon: () => left(caller, session, guest),
    };
  }

  return {
    async resume(caller, session, attaching) {
      assertMay(caller, 'resume_terminal');
      if (!ownsSession(caller, session, demo_mode)) throw new Fault('session_not_found');
      await assertStillReached(caller, session);
      session.assertFree(attaching, attaching); // what is refused took nothing over
      const { owner } = session;
      const { user_id, username } = caller;
      const credential = credentialOf(caller);
      if (!isSameCredential(owner.credential, credential)) {
        await trail.record(caller, 'terminal_resume', labelOf(session));
      }
      return {
        session,
        role: 'owner',
        mode: modeOf(caller),
        attach(socket) {
          if (activities.session(session.id) !== session) throw new Fault('session_not_found'); // may have ended
          return session.attachOwner(
            socket,
            { user_id, username, credential },
            { ...attaching, mode: modeOf(caller) },
          );
        },
        abandon(how) {
          if (how === 'closed') session.abandon();
        },
      };
    },

    async join(caller, token, wanted) {
      assertMay(caller, 'join_terminal');
      const session = active_shares.sessionOf(token);
      const share = session && active_shares.of(session.id);
      if (!session || !share) throw new Fault('share_not_found');
      const mode = share.mode === 'ro' ? 'ro' : wanted;
      const admission = await admitGuest(caller, session, { role: 'guest', wanted, mode });
      return {
        ...admission,
        attach(socket) {
          const now = active_shares.of(session.id); // the share may have been revoked or changed
          if (now?.token !== token) throw new Fault('share_not_found');
          const seat = admission.attach(socket);
          session.limitGuests(now.mode);
          return seat;
        },
      };
    },

    async watch(caller, session) {
      assertMay(caller, 'watch_terminal');
      if (session.is_over) throw new Fault('session_not_found');
      return admitGuest(caller, session, { role: 'watcher', wanted: 'ro', mode: 'ro' });
    },
  };
}

/** Each seat holds what its socket has not taken yet. */
function assertSeat(activities: ActivityRegistry, { user_id }: Caller): void {
  const seats = activities.all().filter(({ use, owner }) => GUEST_USES.has(use) && owner.user_id === user_id);
  if (seats.length >= MAX_GUEST_SEATS) throw new Fault('too_many_sessions');
}

/** One place is the owner's, also while the owner is away. */
function assertRoom(session: LiveSession): void {
  if (session.guests().length >= MAX_TERMINAL_MEMBERS - 1) throw new Fault('terminal_full');
}
