import type { ShareMode } from '../model/terminal.ts';
import type { LiveSession } from './live/live-session.ts';
import type { Attachment, MemberSocket } from './live/member-socket.ts';

/** Permission for one socket to attach to a session. */
export interface Admission {
  readonly session: LiveSession;
  readonly role: 'owner' | 'guest';
  readonly mode: ShareMode;
  /** For quick connect: the host key that is trusted. */
  readonly host_key?: { readonly fingerprint: string; readonly is_new: boolean } | undefined;
  /** Throws `share_not_found` when the share has been revoked. */
  attach(socket: MemberSocket): Attachment;
  /** Called instead of `attach` when the socket is gone; `closed` means on purpose. */
  abandon(how: 'closed' | 'dropped'): void;
}
