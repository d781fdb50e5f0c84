import type { Member } from './member.ts';
import type { Attachment } from './member-socket.ts';
import type { Members } from './members.ts';
import type { OwnerSeat } from './owner-seat.ts';
import type { Resizer } from './resizer.ts';
import type { ShellInput } from './shell-input.ts';

interface Session {
  readonly members: Pick<Members, 'has'>;
  readonly owner: Pick<OwnerSeat, 'took' | 'taken'>;
  readonly input: ShellInput;
  readonly resizer: Pick<Resizer, 'resize'>;
  readonly isOver: () => boolean;
}

/** The access of one member: each call checks what the member may do by then. */
export function createAttachment(
  { members, owner, input, resizer, isOver }: Session,
  member: Member,
  detach: Attachment['detach'],
): Attachment {
  const isMember = () => !isOver() && members.has(member);
  const mayType = () => isMember() && member.entry.mode === 'rw';
  const mayResize = () => isMember() && (member.entry.mode === 'rw' || member.entry.role === 'owner');
  return {
    input(bytes) {
      if (mayType() && !input.write(member, bytes)) return false;
      if (isMember()) owner.took(member, bytes.length);
      return true;
    },
    taken: () => owner.taken(member),
    buffer: input.createBuffer(member.entry.role),
    ignoreAcks: (is_ignored) => member.output.ignoreAcks(is_ignored),
    resize(size) {
      if (mayResize()) resizer.resize(member, size);
    },
    ack: (bytes) => member.output.ack(bytes),
    detach,
  };
}
