import { MAX_PACKET_BYTES } from '../algorithms/kexinit.ts';

// OpenSSH answers what is typed without an echo with a packet to be ignored, as long as all that it wrote to the terminal at
// once. That is at most its window for a terminal; the rest are the fields around it.
const MAX_IGNORED_BYTES = 2 * 1024 * 1024 + 1024;
const MESSAGES_TO_IGNORE = new Set([2, 4]); // SSH_MSG_IGNORE, SSH_MSG_DEBUG
const PASSING_BYTES = MAX_PACKET_BYTES - 20; // ssh2 adds the length and the tag for some ciphers

/** The part of ssh2's deciphers that reads the length of a packet, and then compares it with a constant. */
export interface Decipher {
  _len?: number;
  /** Only where the MAC is separate; without, the length is read once before it is compared. */
  readonly _macETM?: boolean;
}

/**
 * Lets packets to ignore be as long as OpenSSH makes them. ssh2 compares each length with a constant of its own, so its first look
 * at a longer one sees a length that passes. Call it for each new decipher.
 */
export function raisePacketLimit(
  decipher: Decipher,
  { isRaised, exceeded }: { readonly isRaised: () => boolean; readonly exceeded: (what: string) => never },
): void {
  const looks_before = decipher._macETM === false ? 1 : 0;
  let bytes = decipher._len ?? 0;
  let looks = 0;
  function comparedWith(): number {
    if (bytes <= PASSING_BYTES || !isRaised()) return bytes;
    if (bytes > MAX_IGNORED_BYTES) exceeded(tooLong(bytes, MAX_IGNORED_BYTES));
    return PASSING_BYTES;
  }
  Object.defineProperty(decipher, '_len', {
    get() {
      looks += 1;
      return looks === looks_before + 1 ? comparedWith() : bytes;
    },
    set(next: number) {
      bytes = next;
      looks = 0;
    },
  });
}

/** Refuses any other packet that is longer than before. */
export function refuseOversized(payload: Buffer, exceeded: (what: string) => never): void {
  const is_ignored = MESSAGES_TO_IGNORE.has(payload[0] ?? 0);
  if (payload.length > MAX_PACKET_BYTES && !is_ignored) exceeded(tooLong(payload.length, MAX_PACKET_BYTES));
}

/** Says who ended the connection: the packet may be valid, and only this gateway refuses it. */
function tooLong(bytes: number, most_bytes: number): string {
  return `was disconnected by this gateway, which accepts no packet of ${bytes} bytes (at most ${most_bytes})`;
}
