import type { Meter } from '../../ports/meter.ts';
import type { Shell } from '../../ports/ssh.ts';
import type { Member } from './member.ts';

const MAX_BUFFERED_BYTES = { owner: 16 * 1024 * 1024, guests: 8 * 1024 * 1024 };
const RESERVED_BYTES = 64 * 1024; // per member, so one flooding guest cannot starve the others

export interface ShellInput {
  /** False when the host accepts no input now; the member's socket has been paused. */
  write(member: Member, bytes: Uint8Array): boolean;
  /** The host accepts input again. */
  resume(members: readonly Member[]): void;
  /** Counts the input that one member's socket buffers; the returned function says false when it is over the limit. */
  createBuffer(role: Member['entry']['role']): (bytes: number) => boolean;
}

/** Input to the host, with back-pressure on the sockets of all members. */
export function createShellInput({
  shell,
  meter,
  onInput,
}: {
  readonly shell: Shell;
  readonly meter: Pick<Meter, 'add'>;
  readonly onInput: (member: Member) => void;
}): ShellInput {
  const buffered_bytes = { owner: 0, guests: 0 };
  let is_full = false;
  return {
    write(member, bytes) {
      if (is_full) {
        member.socket.pauseInput(); // every member waits: each would add to what is buffered for the host
        return false;
      }
      onInput(member);
      meter.add('terminal_bytes_in', bytes.length);
      is_full = !shell.write(bytes);
      if (is_full) member.socket.pauseInput();
      return true;
    },

    resume(members) {
      is_full = false;
      for (const { socket } of members) socket.resumeInput();
    },

    createBuffer(role) {
      const pool = role === 'owner' ? 'owner' : 'guests'; // guests cannot use up the owner's
      let own_bytes = 0;
      return (bytes) => {
        own_bytes += bytes;
        buffered_bytes[pool] += bytes;
        return own_bytes <= RESERVED_BYTES || buffered_bytes[pool] <= MAX_BUFFERED_BYTES[pool];
      };
    },
  };
}
