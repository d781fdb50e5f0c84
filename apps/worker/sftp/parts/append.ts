import { Fault } from '#core/errors.ts';
import type { Lease } from '../pool/pool.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import type { Handle } from '../protocol/requests.ts';
import { createFileChannels } from '../transfer/file-channels.ts';
import { whileConnected, withTransfer } from '../transfer/with-transfer.ts';
import { openPartAt } from './open.ts';
import { type WriteRequest, writeAll } from './write.ts';

export interface AppendRequest extends WriteRequest {
  readonly offset: number;
}

/**
 * Takes ownership of the lease. Uses a single channel, on which the server executes WRITEs in order: whenever the
 * connection breaks, the part holds a prefix of what was sent.
 */
export function appendPart(lease: Lease, request: AppendRequest): Promise<number> {
  return withTransfer(lease, async (transfer, release) => {
    request.signal.throwIfAborted();
    const { channel } = transfer;
    const { path, offset } = request;
    const { handle, stats } = await openPartAt(channel, path, offset);
    const flow = lease.connection.up.join();
    const open = () => Promise.reject(new Fault('internal', 'An append uses one channel'));
    flow.limitChunk(transfer.channel.max_bytes);
    const lanes = createFileChannels({ transfer, handle, flow, open, expected_bytes: 0 });
    try {
      if (stats.size !== request.offset) throw new Fault('upload_offset');
      const {
        contiguous_bytes: whole_bytes,
        is_torn,
        failure,
      } = await whileConnected(lease, request.signal, (signal) =>
        writeAll(lanes, { ...request, signal }, request.offset),
      );
      if (is_torn) await cutOff(channel, handle, request.offset + whole_bytes);
      if (failure) throw failure;
      return whole_bytes;
    } finally {
      await lanes.close().then(release, release);
    }
  });
}

async function cutOff(channel: SftpChannel, handle: Handle, size: number): Promise<void> {
  await channel.fsetstat(handle, { size }).catch(() => {}); // the error that matters is the refused WRITE
}
