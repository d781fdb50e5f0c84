import type { Readable } from 'node:stream';
import type { ClientChannel } from 'ssh2';

// With just under 2 MiB unread ssh2 grants 2 MiB more: an honest host never gets beyond 4 MiB.
const MAX_UNREAD_BYTES = 5 * 1024 * 1024;

/** ssh2 takes whatever a host sends beyond the window it was given (RFC 4254 §5.2); this drops it and tells, once. */
export function enforceWindow({ stdout, stderr }: ClientChannel, violated: () => void): void {
  let broken = false;
  for (const stream of [stdout, stderr] satisfies Readable[]) {
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
