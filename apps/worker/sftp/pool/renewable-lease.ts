import type { SshTarget } from '#core/ports/ssh.ts';
import type { Lease, Pool } from './pool.ts';

/** A pooled connection may have died unnoticed: it is replaced once. */
export interface RenewableLease {
  /** For what only asks: it runs again on the new connection. */
  use<T>(work: (lease: Lease) => Promise<T>): Promise<T>;
  /** For what changes anything: a connection found dead is replaced before, but the work never runs twice. */
  useOnce<T>(work: (lease: Lease) => Promise<T>): Promise<T>;
  release(): void;
}

export async function createRenewableLease(pool: Pool, target: SshTarget): Promise<RenewableLease> {
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
