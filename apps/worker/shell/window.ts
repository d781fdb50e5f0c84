import type { Readable } from 'node:stream';
import type { ClientChannel } from 'ssh2';

// With little unread ssh2 grants 2 MiB anew, and a paused stream is read ahead to its mark: an honest host stays below.
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;
const READ_AHEAD_BYTES = 64 * 1024; // ssh2 has 2 MiB, with which a paused stream comes to hold 4

/** ssh2 takes whatever a host sends beyond the window it was given (RFC 4254 §5.2); this drops it and tells, once. */
export function enforceWindow({ stdout, stderr }: ClientChannel, violated: () => void): void {
  let broken = false;
  for (const stream of [stdout, stderr] satisfies Readable[]) {
    setReadAhead(stream, READ_AHEAD_BYTES);
    const push = stream.push.bind(stream);
    stream.push = (bytes: Buffer | null) => {
      if (bytes === null) return push(null);
      if (broken) return false;
      if (stream.readableLength + bytes.length <= MAX_UNREAD_BYTES) return push(bytes);
      broken = true;
      violated();
      return false;
    };
  }
}

/** Node lets a stream's mark be chosen at its making alone, which is ssh2's; every Readable has this state (Node 10 to 24). */
function setReadAhead(stream: Readable, bytes: number): void {
  const { _readableState: state } = stream as Readable & { _readableState?: { highWaterMark: number } };
  if (state) state.highWaterMark = bytes;
}
