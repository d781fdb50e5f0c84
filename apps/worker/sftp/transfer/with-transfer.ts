import type { Lease } from '../pool/pool.ts';
import type { Transfer } from '../pool/transfer-channels.ts';

/** Takes ownership of the lease. `release` returns the lease and the channel; it is called here if the work fails. */
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

/** Also aborts when the connection ends, so that work waiting for its source does not outlive it. */
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
