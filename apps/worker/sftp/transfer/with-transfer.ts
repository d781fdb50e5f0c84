import type { Lease } from '../pool/pool.ts';
import type { Transfer } from '../pool/transfer-channels.ts';

/** Takes over the lease; `release` gives all of it back, and is called when the work fails. */
export async function withTransfer<T>(
  lease: Lease,
  work: (transfer: Transfer, release: () => void) => Promise<T>,
): Promise<T> {
  let transfer: Transfer | undefined;
  const release = () => {
    transfer?.done();
    lease.release();
  };
  try {
    transfer = await lease.connection.transfer();
    return await work(transfer, release);
  } catch (error) {
    release();
    throw error;
  }
}

/** Aborts with the lease's connection as well, so that work which waits for others does not outlive it. */
export async function whileConnected<T>(
  { connection }: Lease,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const unlisten = connection.onEnd((fault) => lost.abort(fault));
  try {
    return await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    unlisten();
  }
}
