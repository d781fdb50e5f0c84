import type { Readable } from 'node:stream';
import type { ClientChannel } from 'ssh2';

// ssh2 renews its 2 MiB window when little is unread, and fills a paused stream to its mark: an honest host stays below.
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;
const READ_AHEAD_BYTES = 64 * 1024; // ssh2's own mark of 2 MiB would let a paused stream hold 4 MiB

/** ssh2 does not enforce the window (RFC 4254 §5.2); this drops the excess and reports the violation once. */
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

/** Node only accepts a high-water mark at construction, which is up to ssh2; Node 10 to 24 keep it in this field. */
function setReadAhead(stream: Readable, bytes: number): void {
  const { _readableState: state } = stream as Readable & { _readableState?: { highWaterMark: number } };
  if (state) state.highWaterMark = bytes;
}
