import { Fault } from '#core/errors.ts';
import { createChunkMemory } from '#core/lib/bytes/chunk-memory.ts';
import type { RemoteFile } from '#core/ports/files.ts';
import { type Flow, MAX_CHUNK_BYTES, MIN_CHUNK_BYTES } from '../pool/flow-control.ts';
import type { Lease } from '../pool/pool.ts';
import { type Stats, toFileStat } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import type { Handle } from '../protocol/requests.ts';
import { checkOpenFile, isSameFile, pathSwapped } from '../protocol/swap-check.ts';
import { createFileChannels, type FileChannels } from './file-channels.ts';
import type { ReadSource } from './read.ts';
import { readAhead, readAll, readPart } from './read.ts';
import { withTransfer } from './with-transfer.ts';

const MAX_OPENS = 5; // for a file that keeps being replaced

/** Takes ownership of the lease. */
export function openRead(lease: Lease, path: string): Promise<RemoteFile> {
  return withTransfer(lease, async (transfer, release) => {
    const { handle, stats } = await openRegular(transfer.channel, path);
    const stat = toFileStat(stats);
    const flow = lease.connection.down.join();
    const first: Opened = { handle, stats };
    const open = (channel: SftpChannel) => reopen(channel, path, { first, of: transfer.channel });
    flow.limitChunk(transfer.channel.max_bytes);
    const lanes = createFileChannels({ transfer, handle, flow, open, expected_bytes: stat.size });
    const close = closeOnce(lanes, release);
    const source = toReadSource(lanes, flow, close);
    const chunk_bytes = Math.min(MAX_CHUNK_BYTES, transfer.channel.max_bytes);
    return {
      stat,
      close,
      stream: (range, { reuses = false } = {}) =>
        readAhead(reuses ? { ...source, borrow: createChunkMemory().borrow } : source, range),
      readPart: (start, length) => readPart(source, { start, length, chunk_bytes }),
      readAll: (limit_bytes) =>
        readAll(source, {
          expected_bytes: stat.size,
          limit_bytes,
          chunk_bytes,
        }).finally(close),
    };
  });
}

function toReadSource(lanes: FileChannels, flow: Flow, close: () => Promise<void>): ReadSource {
  return {
    next_bytes: lanes.next_bytes,
    read: (position, length, room) =>
      lanes.run(length, (channel, handle) => channel.readPieces(handle, position, length, room)),
    onShortRead(bytes) {
      if (bytes >= MIN_CHUNK_BYTES) flow.limitChunk(bytes);
    },
    close,
  };
}

interface Opened {
  readonly handle: Handle;
  readonly stats: Stats;
}

/** Another channel must not read a file that has replaced the first one since. */
async function reopen(
  channel: SftpChannel,
  path: string,
  { first, of }: { first: Opened; of: SftpChannel },
): Promise<Handle> {
  const again = await openRegular(channel, path);
  try {
    if (isSameFile(again.stats, first.stats, await of.fstat(first.handle))) return again.handle;
    throw new Fault('file_busy');
  } catch (error) {
    await discard(channel, again.handle);
    throw error;
  }
}

/** If the file is replaced in the meantime (saved, or a log rotated), opens the new one. */
async function openRegular(channel: SftpChannel, path: string): Promise<Opened> {
  for (let openings = 0; openings < MAX_OPENS; openings += 1) {
    const opened = await openOnce(channel, path);
    if (opened) return opened;
  }
  throw new Fault('file_busy');
}

/** Undefined when another file has replaced it. */
async function openOnce(channel: SftpChannel, path: string): Promise<Opened | undefined> {
  // Checked before the open, which would block on a FIFO and act on a device, and after it, because paths can be swapped.
  assertRegular(toFileStat(await channel.stat(path)).kind);
  const handle = await channel.open(path);
  try {
    const { stats, path: place } = await checkOpenFile(channel, handle, path);
    if (place === 'elsewhere') throw pathSwapped();
    assertRegular(toFileStat(stats).kind);
    if (place === 'same') return { handle, stats };
  } catch (error) {
    await discard(channel, handle);
    throw error;
  }
  await discard(channel, handle);
  return undefined;
}

async function discard(channel: SftpChannel, handle: Handle): Promise<void> {
  await channel.close(handle).catch(() => {}); // the first error is the one to report
}

function assertRegular(kind: string): void {
  if (kind !== 'file') throw new Fault('not_a_file');
}

/** Releases the connection once the server has closed the file or failed to. */
function closeOnce(lanes: FileChannels, release: () => void): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= lanes.close().then(release, release);
    return closing;
  };
}
