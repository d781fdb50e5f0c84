import type { Fault } from '../../errors.ts';
import type { Credential } from '../../model/caller.ts';
import type { ParticipantInfo, ShareMode } from '../../model/terminal.ts';
import type { PtySize, ShellEnd } from '../../ports/ssh.ts';
import type { Outlet } from './outlet.ts';
import type { RosterEntry } from './roster.ts';

export type SessionEnd = ShellEnd | { readonly kind: 'refused'; readonly fault: Fault };

/** What a session tells besides its output. */
export type SessionNews =
  | { readonly kind: 'size'; readonly size: PtySize }
  | { readonly kind: 'participants'; readonly list: readonly ParticipantInfo[] }
  | { readonly kind: 'mode'; readonly mode: ShareMode }
  | { readonly kind: 'recording'; readonly active: boolean }
  | { readonly kind: 'notice'; readonly code: string; readonly message: string };

/** What comes before the first byte of output. */
export interface Begun {
  /** Bytes of output before it. */
  readonly offset: number;
  /** Length of a present screen that is sent first, and belongs to no offset; undefined: there is none. */
  readonly screen_bytes: number | undefined;
  readonly size: PtySize;
}

/** One socket, as far as a session needs to know. */
export interface Attendee {
  begin(begun: Begun): void;
  /** Takes output; calls `sent` once it has left the process. */
  output(bytes: Uint8Array, sent: () => void): void;
  tell(news: SessionNews): void;
  pauseInput(): void;
  resumeInput(): void;
  /** Comes once, after the last output. */
  ended(end: SessionEnd): void;
}

/** Somebody who is attached to a session, from the socket's side. */
export interface Seat {
  /** False when it must be given again, once input is resumed: the host takes nothing now. */
  input(bytes: Uint8Array): boolean;
  /** So much more input is kept for the host (or less); false: more than the owner may, or all others together. */
  hold(bytes: number): boolean;
  /** While its socket is not read no ack can come: then what the network takes counts as parsed. */
  deafen(is_deaf: boolean): void;
  resize(size: PtySize): void;
  /** `bad_frame` when so much was never sent. */
  ack(bytes: number): void;
  /** `closed`: on purpose, which ends the shell if it is the owner's; `dropped`: it may come back. */
  leave(how: 'closed' | 'dropped'): void;
}

/** Somebody besides the owner. */
export interface Guest {
  readonly id: string;
  readonly user_id: number;
  readonly username: string;
  readonly credential: Credential;
  readonly role: 'guest' | 'watcher';
  /** What was asked for: the most that a share may give. */
  readonly wanted: ShareMode;
  readonly mode: ShareMode;
}

/** Somebody who is attached, from the session's side. */
export interface Present {
  /** Its mode follows the share's. */
  entry: RosterEntry;
  readonly attendee: Attendee;
  readonly outlet: Outlet;
  /** Before that nothing is told. */
  has_begun: boolean;
}
