import type { Fault } from '../../errors.ts';
import type { ParticipantInfo, ShareMode } from '../../model/terminal.ts';
import type { PtySize, ShellEnd } from '../../ports/ssh.ts';

export type SessionEnd = ShellEnd | { readonly kind: 'refused'; readonly fault: Fault };

/** What a session sends to its members besides output. */
export type SessionUpdate =
  | { readonly kind: 'size'; readonly size: PtySize }
  | { readonly kind: 'participants'; readonly list: readonly ParticipantInfo[] }
  | { readonly kind: 'mode'; readonly mode: ShareMode }
  | { readonly kind: 'recording'; readonly active: boolean }
  | { readonly kind: 'notice'; readonly code: string; readonly message: string };

/** Where a member's output begins. */
export interface OutputStart {
  /** Offset in the session's output. */
  readonly offset: number;
  /** Length of the screen snapshot that precedes the output and is not counted in offsets; undefined without one. */
  readonly screen_bytes: number | undefined;
  readonly size: PtySize;
  /** Input of this client that the shell has been given; undefined for a client that is not known. */
  readonly input_bytes?: number | undefined;
}

/** The socket of one member, as the session uses it. */
export interface MemberSocket {
  /** Names the client over its sockets, if it wants that. */
  readonly client_id?: string | undefined;
  /** Called once, before any output. */
  begin(start: OutputStart): void;
  /** Queues output; calls `sent` once it has left the process. */
  output(bytes: Uint8Array, sent: () => void): void;
  update(update: SessionUpdate): void;
  pauseInput(): void;
  resumeInput(): void;
  /** Called once, after the last output. */
  ended(end: SessionEnd): void;
}

/** A member's access to the session, as the socket uses it. */
export interface Attachment {
  /** False when the host accepts no input now: send the same bytes again after `resumeInput`. */
  input(bytes: Uint8Array): boolean;
  /** Input of this client that the shell has been given, over all its sockets; undefined if that is not counted. */
  taken(): number | undefined;
  /** Counts input that the socket buffers for the host (negative: no longer buffers). False when over the limit. */
  buffer(bytes: number): boolean;
  /** While the socket is not read, no ack can arrive: then bytes count as parsed once the network has taken them. */
  ignoreAcks(is_ignored: boolean): void;
  resize(size: PtySize): void;
  /** Throws `bad_frame` for bytes that were never sent. */
  ack(bytes: number): void;
  /** `closed` on purpose, which ends the shell if the owner does it; `dropped` members may come back. */
  detach(how: 'closed' | 'dropped'): void;
}
