import type { Readable } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import { setReadAhead } from '../../node-internals/read-ahead.ts';

// ssh2 renews its 2 MiB window when little is unread, and fills a paused stream to its mark: an honest host stays below.
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;
const READ_AHEAD_BYTES = 64 * 1024; // ssh2's own mark of 2 MiB would let a paused stream hold 4 MiB

/**
 * ssh2 does not enforce the window (RFC 4254 §5.2); this drops the excess and reports the violation once. Both streams share the
 * window, which is renewed only while little is unread of both together.
 */
export function enforceWindow({ stdout, stderr }: ClientChannel, violated: () => void): void {
  const streams = [stdout, stderr] satisfies Readable[];
  const unread = () => streams.reduce((bytes, { readableLength }) => bytes + readableLength, 0);
  const hasRoom = () => unread() < READ_AHEAD_BYTES;
  let broken = false;
  for (const stream of streams) {
    setReadAhead(stream, READ_AHEAD_BYTES);
    const push = stream.push.bind(stream);
    const read = stream.read.bind(stream);
    const renew = stream._read.bind(stream);
    stream.push = (bytes: Buffer | null) => {
      if (bytes === null) return push(null);
      if (broken) return false;
      if (unread() + bytes.length <= MAX_UNREAD_BYTES) return push(ownMemory(bytes)) && hasRoom();
      broken = true;
      violated();
      return false;
    };
    stream._read = (bytes) => {
      if (hasRoom()) renew(bytes);
    };
    // Node asks for more once per push, which may have been while the other stream was full.
    stream.read = (bytes) => {
      const taken = read(bytes);
      if (taken !== null && hasRoom()) renew(0);
      return taken;
    };
  }
}

/** A host may fill a packet up behind a single byte, and a slice would keep all of it in memory. */
function ownMemory(bytes: Buffer): Buffer {
  return bytes.length * 2 < bytes.buffer.byteLength ? Buffer.from(bytes) : bytes;
}
