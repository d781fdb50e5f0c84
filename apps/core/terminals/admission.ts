import type { ShareMode } from '../model/terminal.ts';
import type { LiveSession } from './live/live-session.ts';
import type { Attendee, Seat } from './live/participant.ts';

/** The right to sit down at a session, for one socket. */
export interface Admission {
  readonly session: LiveSession;
  readonly role: 'owner' | 'guest';
  readonly mode: ShareMode;
  /** Of quick connect: by which key its host is trusted. */
  readonly host_key?: { readonly fingerprint: string; readonly is_new: boolean } | undefined;
  /** `share_not_found` when it was taken back meanwhile. */
  enter(attendee: Attendee): Seat;
  /** Instead of entering: its socket is gone. `closed`: on purpose. */
  abandon(how: 'closed' | 'dropped'): void;
}
