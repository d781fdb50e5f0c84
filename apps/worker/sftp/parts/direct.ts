import { Fault } from '#core/errors.ts';
import type { ByteSource, Placed, PutOptions } from '#core/ports/files.ts';
import type { Lease } from '../pool/pool.ts';
import type { Transfer } from '../pool/transfer-channels.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import type { Handle } from '../protocol/requests.ts';
import { createFileChannels } from '../transfer/file-channels.ts';
import { whileConnected } from '../transfer/with-transfer.ts';
import { type Content, contentIn } from './content.ts';
import { writeInPlace } from './in-place.ts';
import type { Placement } from './placement.ts';
import { writeAll } from './write.ts';
import { writeNew } from './write-new.ts';

interface DirectRequest extends PutOptions {
  readonly source: ByteSource;
}

interface Direct {
  readonly transfer: Transfer;
  readonly placement: Placement;
}

/** Writes the target itself, without a part: the host lets none be created, or permits no renaming or no deleting. */
export async function putDirectly(
  lease: Lease,
  request: DirectRequest,
  { transfer, placement }: Direct,
): Promise<Placed> {
  const { channel } = transfer;
  const { target, whole, beforePlace, signal, mode, modified } = request;
  await beforePlace?.();
  signal.throwIfAborted();
  const content = whole ? contentIn(whole) : contentFrom(lease, transfer, request);
  if (placement.kind === 'create') {
    const as = { is_private: false, mode };
    const size = await writeNew(channel, target, { as, content, modified });
    return { size, in_place: false, is_mode_kept: true };
  }
  return { ...(await writeInPlace(channel, target, content)), in_place: true };
}

/** The source, as it arrives. Once: only a backup can be written again. */
function contentFrom(lease: Lease, transfer: Transfer, request: DirectRequest): Content {
  const { source, onWritten, limit_bytes, target } = request;
  return (channel, handle) =>
    whileConnected(lease, request.signal, async (signal) => {
      const lanes = oneLane(lease, { transfer, channel, handle });
      try {
        const sent = { path: target, source, signal, onWritten, limit_bytes };
        const { contiguous_bytes, failure } = await writeAll(lanes, sent, 0);
        if (failure) throw failure;
        return contiguous_bytes;
      } finally {
        await lanes.close();
      }
    });
}

interface Lane {
  readonly transfer: Transfer;
  readonly channel: SftpChannel;
  readonly handle: Handle;
}

/** On which the host executes WRITEs in order; the file stays open behind it. */
function oneLane(lease: Lease, { transfer, channel, handle }: Lane) {
  const flow = lease.connection.up.join();
  flow.limitChunk(channel.max_bytes);
  const open = () => Promise.reject(new Fault('internal', 'A direct write uses one channel'));
  const kept = { ...transfer, channel: { ...channel, close: async () => {} }, done: () => {} };
  return createFileChannels({ transfer: kept, handle, flow, open, expected_bytes: 0 });
}
