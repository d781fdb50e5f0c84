import { untilAborted } from '#core/lib/time/deadline.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { explainingChange } from '../protocol/failures.ts';
import type { Lease } from './pool.ts';
import { explainingPath, type SessionWork } from './session-work.ts';

export interface LeasedChannel {
  readonly channel: SftpChannel;
  readonly lease: Lease;
  release(): void;
}

/** A channel for work with many requests, so that short requests need not wait behind it. */
export async function leaseChannel(work: Pick<SessionWork, 'lease'>): Promise<LeasedChannel> {
  const lease = await work.lease();
  try {
    const { channel, done } = await lease.connection.transfer();
    const release = () => {
      done();
      lease.release();
    };
    return { channel, lease, release };
  } catch (error) {
    lease.release();
    throw error;
  }
}

/** Rejects at once when the signal aborts; the channel is released when pending work has settled. */
export function withLeasedChannel<T>(
  work: SessionWork,
  { path, signal }: { path: string; signal: AbortSignal },
  run: (channel: SftpChannel) => Promise<T>,
): Promise<T> {
  async function runAndRelease(): Promise<T> {
    signal.throwIfAborted();
    const { channel, release } = await leaseChannel(work);
    try {
      return await explainingPath(
        path,
        explainingChange(channel, path, () => run(channel)),
      );
    } finally {
      release();
    }
  }
  return untilAborted(signal, runAndRelease());
}
