import type { Readable } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import { setReadAhead } from '../../node-internals/read-ahead.ts';

// ssh2 renews its 2 MiB window when little is unread, and fills a paused stream to its mark: an honest host stays below.
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;
const READ_AHEAD_BYTES = 64 * 1024; // ssh2's own mark of 2 MiB would let a paused stream hold 4 MiB
const GATHER_FROM_BYTES = 4 * 1024; // unread

/**
 * ssh2 does not enforce the window (RFC 4254 §5.2); this drops the excess and reports the violation once. Both streams share the
 * window, which is renewed only while little is unread of both together.
 */
export function enforceWindow({ stdout, stderr }: ClientChannel, violated: () => void): void {
  const streams = [stdout, stderr] satisfies Readable[];
  const gathered = new Map(streams.map((stream) => [stream, createGathered()]));
  let broken = false;
  const unread = () =>
    [...gathered].reduce((bytes, [{ readableLength }, more]) => bytes + readableLength + more.bytes(), 0);
  const hasRoom = () => unread() < READ_AHEAD_BYTES;
  function isRefused(bytes: Buffer): boolean {
    if (broken || unread() + bytes.length <= MAX_UNREAD_BYTES) return broken;
    broken = true;
    violated();
    return true;
  }
  for (const [stream, more] of gathered) limit(stream, { more, isRefused, hasRoom });
}

interface Limits {
  /** What comes behind what the stream holds. */
  readonly more: Gathered;
  isRefused(bytes: Buffer): boolean;
  hasRoom(): boolean;
}

function limit(stream: Readable, { more, isRefused, hasRoom }: Limits): void {
  setReadAhead(stream, READ_AHEAD_BYTES);
  const push = stream.push.bind(stream);
  const read = stream.read.bind(stream);
  const renew = stream._read.bind(stream);
  function pushGathered(): void {
    for (const block of more.take()) push(block);
  }
  stream.push = (bytes: Buffer | null) => {
    if (bytes === null) {
      pushGathered();
      return push(null);
    }
    if (isRefused(bytes)) return false;
    if (more.bytes() === 0 && stream.readableLength < GATHER_FROM_BYTES) return push(bytes) && hasRoom();
    more.add(bytes);
    return hasRoom();
  };
  stream._read = (bytes) => {
    if (hasRoom()) renew(bytes);
  };
  // Node asks for more once per push, which may have been while the other stream was full.
  stream.read = (bytes) => {
    const taken = read(bytes);
    if (stream.readableLength < GATHER_FROM_BYTES) pushGathered();
    if (taken !== null && hasRoom()) renew(0);
    return taken;
  };
}

type Gathered = ReturnType<typeof createGathered>;

const BLOCK_BYTES = 32 * 1024;

/** Bytes in memory of their own: a host may send each in its own packet, filled up with anything. */
function createGathered() {
  let full: Buffer[] = [];
  let last = Buffer.alloc(0);
  let used = 0; // of the last block
  const bytes = () => full.length * BLOCK_BYTES + used;
  return {
    bytes,
    add(added: Buffer): void {
      for (let at = 0; at < added.length; ) {
        if (last.length === 0) last = Buffer.allocUnsafeSlow(BLOCK_BYTES);
        const copied = added.copy(last, used, at);
        at += copied;
        used += copied;
        if (used < BLOCK_BYTES) continue;
        full.push(last);
        [last, used] = [Buffer.alloc(0), 0];
      }
    },
    take(): Buffer[] {
      const taken = used > 0 ? [...full, last.subarray(0, used)] : full;
      [full, last, used] = [[], Buffer.alloc(0), 0];
      return taken;
    },
  };
}
