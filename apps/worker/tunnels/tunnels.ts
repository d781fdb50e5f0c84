import type { ClientChannel } from 'ssh2';
import { Fault } from '#core/errors.ts';
import { untilAborted } from '#core/lib/time/deadline.ts';
import type { Address, Tunnel, TunnelOptions, Tunnels } from '#core/ports/tunnels.ts';
import type { Lease, Pool } from '../sftp/pool/pool.ts';
import { addressOf, forwardAbort } from '../ssh/attempt.ts';
import { forwardRefusal, OURSELVES, openForward } from '../ssh/channels/forward.ts';
import { openStreams } from '../ssh/channels/streams.ts';

export function createTunnels(pool: Pick<Pool, 'leaseBare'>): Tunnels {
  return {
    async open(target, to, options) {
      const { signal } = options;
      signal.throwIfAborted();
      const leasing = pool.leaseBare(target);
      const lease = await untilAborted(signal, leasing).catch((error: unknown) => {
        leasing.then(({ release }) => release(), ignore);
        throw error;
      });
      try {
        return await forward(lease, to, options);
      } catch (error) {
        lease.release();
        throw error;
      }
    },
  };
}

async function forward(
  lease: Lease,
  to: Address,
  { from = OURSELVES, signal }: TunnelOptions,
): Promise<Tunnel> {
  const { connection } = lease.connection;
  const stop = new AbortController();
  const unfollow = forwardAbort(signal, stop);
  const unlisten = connection.onEnd((fault) => stop.abort(fault));
  try {
    return await openForward(connection.client, { to, from, signal: stop.signal }, (channel) =>
      toTunnel(channel, lease, signal),
    );
  } catch (cause) {
    stop.signal.throwIfAborted();
    const { code, detail } = forwardRefusal(cause, connection.hop.name, addressOf(to));
    throw new Fault(code, detail, { cause });
  } finally {
    unlisten();
    unfollow();
  }
}

/** Keeps the lease until the channel is closed, or given up: the host may never answer that. */
function toTunnel(channel: ClientChannel, lease: Lease, signal: AbortSignal): Tunnel {
  const { connection } = lease.connection;
  let resolve = () => {};
  const closed = new Promise<void>((settle) => {
    resolve = settle;
  });
  function leave(): void {
    unlisten();
    signal.removeEventListener('abort', abort);
    lease.release();
    resolve();
  }
  const end = (reason: unknown) => {
    channel.close();
    streams.fail(reason);
    leave();
  };
  const abort = () => end(signal.reason);
  const streams = openStreams(channel, connection, { aborted: end, closed: leave });
  streams.stderr.cancel().catch(ignore); // a forwarded channel has none
  const unlisten = connection.onEnd(streams.fail);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return { readable: streams.stdout, writable: streams.input, closed };
}

const ignore = () => {};
