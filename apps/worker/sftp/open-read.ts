import { Fault } from '#core/errors.ts';
import type { RemoteFile } from '#core/ports/files.ts';
import { toFileStat } from './attributes.ts';
import type { Handle, SftpChannel } from './channel.ts';
import { createLanes, type Lanes } from './lanes.ts';
import { type Flow, LEAST_CHUNK_BYTES, MOST_CHUNK_BYTES } from './line.ts';
import type { Lease } from './pool.ts';
import type { ReadSource } from './read-ahead.ts';
import { readAhead } from './read-ahead.ts';
import { readAll } from './read-all.ts';
import { assertSamePlace } from './same-place.ts';
import { withTransfer } from './with-transfer.ts';

/** Takes over the lease. */
export function openRead(lease: Lease, path: string): Promise<RemoteFile> {
  return withTransfer(lease, async (transfer, release) => {
    const { handle, stat } = await openRegular(transfer.channel, path);
    const flow = lease.connection.down.join();
    const open = async (channel: SftpChannel) => (await openRegular(channel, path)).handle;
    flow.limitChunk(transfer.channel.most_bytes);
    const lanes = createLanes({ transfer, handle, flow, open, expected_bytes: stat.size });
    const close = closeOnce(lanes, release);
    const source = toReadSource(lanes, flow, close);
    return {
      stat,
      close,
      stream: (range) => readAhead(source, range),
      readAll: (limit_bytes) =>
        readAll(source, {
          expected_bytes: stat.size,
          limit_bytes,
          chunk_bytes: Math.min(MOST_CHUNK_BYTES, transfer.channel.most_bytes),
        }).finally(close),
    };
  });
}

function toReadSource(lanes: Lanes, flow: Flow, close: () => Promise<void>): ReadSource {
  return {
    next_bytes: lanes.next_bytes,
    read: (position, length) =>
      lanes.run(length, (channel, handle) => channel.readPieces(handle, position, length)),
    shortened(bytes) {
      if (bytes >= LEAST_CHUNK_BYTES) flow.limitChunk(bytes);
    },
    close,
  };
}

async function openRegular(channel: SftpChannel, path: string) {
  // Before the open, which would wait for a writer on a FIFO and act on a device; after it, because paths can be swapped.
  assertRegular(toFileStat(await channel.stat(path)).kind);
  const handle = await channel.open(path);
  try {
    const stat = toFileStat(await assertSamePlace(channel, handle, path));
    assertRegular(stat.kind);
    return { handle, stat };
  } catch (error) {
    await discard(channel, handle);
    throw error;
  }
}

async function discard(channel: SftpChannel, handle: Handle): Promise<void> {
  await channel.close(handle).catch(() => {}); // what went wrong before is what is told
}

function assertRegular(kind: string): void {
  if (kind !== 'file') throw new Fault('not_a_file');
}

/** The connection is given back when the server has closed the file, or cannot any more. */
function closeOnce(lanes: Lanes, release: () => void): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= lanes.close().then(release, release);
    return closing;
  };
}
