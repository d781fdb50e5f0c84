import { Fault } from '#core/errors.ts';
import type { Lease } from '../pool/pool.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { createLanes } from '../transfer/file-channels.ts';
import { whileConnected, withTransfer } from '../transfer/with-transfer.ts';
import { untilAborted } from '../until-aborted.ts';
import { openPart } from './open.ts';
import { type WriteRequest, writeAll } from './write.ts';

/** Takes over the lease. */
export function fillPart(lease: Lease, request: WriteRequest): Promise<number> {
  return withTransfer(lease, async (transfer, release) => {
    request.signal.throwIfAborted();
    const { handle } = await openPart(transfer.channel, request.path);
    const flow = lease.connection.up.join();
    const open = async (channel: SftpChannel) => (await openPart(channel, request.path)).handle;
    flow.limitChunk(transfer.channel.most_bytes);
    const lanes = createLanes({ transfer, handle, flow, open, expected_bytes: Number.POSITIVE_INFINITY });
    try {
      const { whole_bytes, failure } = await whileConnected(lease, request.signal, (signal) =>
        untilAborted(signal, writeAll(lanes, { ...request, signal }, 0)),
      );
      if (failure) throw failure;
      const { size } = await transfer.channel.fstat(handle);
      if (size !== whole_bytes) throw new Fault('sftp_failed', 'Somebody else wrote to the file meanwhile');
      return whole_bytes;
    } finally {
      await lanes.close().then(release, release);
    }
  });
}
