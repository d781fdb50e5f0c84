import type { Fault } from '../../errors.ts';
import type { Credential } from '../../model/accounts/caller.ts';
import type { ParticipantInfo, ShareMode } from '../../model/terminal.ts';
import type { MemberSocket } from './member-socket.ts';
import type { OutputFlow } from './output-flow.ts';

/** A member as shown in the participant list. */
export type MemberEntry = Omit<ParticipantInfo, 'typing' | 'you'>;

/** A person attached to a session through one socket. */
export interface Member {
  /** A guest's mode follows the share. */
  entry: MemberEntry;
  readonly socket: MemberSocket;
  readonly output: OutputFlow;
  /** Updates are sent only after the output has begun. */
  has_begun: boolean;
}

/** A member other than the owner. */
export interface Guest {
  readonly id: string;
  readonly user_id: number;
  readonly username: string;
  readonly credential: Credential;
  readonly role: 'guest' | 'watcher';
  /** The mode that was asked for; a share never grants more. */
  readonly wanted: ShareMode;
  readonly mode: ShareMode;
}

/** Stops a member's output and closes the socket with the fault. */
export function dismissMember({ output, socket }: Member, fault: Fault): void {
  output.close();
  socket.ended({ kind: 'refused', fault });
}

/** The participant list as member `you` sees it. */
export function participantList(
  you: string,
  entries: readonly MemberEntry[],
  typing_id: string | undefined,
): ParticipantInfo[] {
  return entries.map((entry) => ({ ...entry, typing: entry.id === typing_id, you: entry.id === you }));
}
