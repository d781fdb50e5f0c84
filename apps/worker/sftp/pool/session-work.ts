import { Fault } from '#core/errors.ts';
import type { SshTarget } from '#core/ports/ssh.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { explainingChange, isTooLong } from '../protocol/failures.ts';
import { isUnexplained } from '../protocol/status.ts';
import type { Lease, Pool } from './pool.ts';

/** How file operations reach the host; `path` is what an error is about. */
export interface SessionWork {
  /** Reads over the metadata channel; retried once if the pooled connection turns out to be dead. */
  query<T>(path: string, work: (channel: SftpChannel) => Promise<T>): Promise<T>;
  /** A change over the metadata channel; never sent twice. */
  change<T>(path: string, work: (channel: SftpChannel) => Promise<T>): Promise<T>;
  /** A lease for work that outlives the call; the caller releases it. */
  lease(): Promise<Lease>;
}

export function createSessionWork(leases: RenewableLease): SessionWork {
  return {
    query: (path, work) =>
      leases.use(async ({ connection }) => explainingPath(path, work(await connection.metadata()))),
    change: (path, work) =>
      leases.useOnce(async ({ connection }) => {
        const channel = await connection.metadata();
        return explainingPath(
          path,
          explainingChange(channel, path, () => work(channel)),
        );
      }),
    lease: () => leases.useOnce(async (lease) => lease.share()),
  };
}

const COPIED_NAME = 'No file has this name. A name that is not UTF-8 is addressed by the `path` of its entry';

/**
 * Replaces an unspecific error by what is wrong with the path. Servers answer FAILURE to a name that is too long; and a
 * missing path with replacement characters was most likely copied from a listing of names that are not UTF-8.
 */
export async function explainingPath<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (isUnexplained(cause) && isTooLong(path)) throw new Fault('name_too_long', undefined, { cause });
    const missing = cause instanceof Fault && cause.code === 'file_not_found';
    if (missing && path.includes('\ufffd')) throw new Fault('unaddressable_name', COPIED_NAME, { cause });
    throw cause;
  }
}

/** Replaces a pooled connection that has died unnoticed, once. */
export interface RenewableLease {
  /** For reads, which are retried on the new connection. */
  use<T>(work: (lease: Lease) => Promise<T>): Promise<T>;
  /** For changes: a dead connection is replaced beforehand, but the work never runs twice. */
  useOnce<T>(work: (lease: Lease) => Promise<T>): Promise<T>;
  release(): void;
}

export async function createRenewableLease(
  pool: Pick<Pool, 'lease'>,
  target: SshTarget,
): Promise<RenewableLease> {
  const first = await pool.lease(target);
  let lease = first;
  let renewal: Promise<void> | undefined;
  let released = false;
  async function replace(): Promise<void> {
    const fresh = await pool.lease(target);
    lease.release();
    lease = fresh;
    if (released) lease.release();
  }
  function renew(): Promise<void> {
    renewal ??= replace();
    return renewal;
  }
  const mayRenew = (used: Lease) => used === first && used.replaceable();
  const held = () => {
    if (released) throw new Error('The file session was released');
    return lease;
  };
  return {
    async use(work) {
      const used = held();
      try {
        return await work(used);
      } catch (error) {
        if (!mayRenew(used)) throw error;
      }
      await renew();
      return work(lease);
    },
    async useOnce(work) {
      if (mayRenew(held())) await renew();
      return work(lease);
    },
    release() {
      released = true;
      lease.release();
    },
  };
}
