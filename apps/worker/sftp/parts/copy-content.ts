import { Fault } from '#core/errors.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { lengthOf, sentOnce } from '../protocol/pieces.ts';
import type { Handle } from '../protocol/requests.ts';
import { isUnsupported } from '../protocol/status.ts';
import { createShortReadLimit } from '../transfer/read.ts';

const COPY_BYTES = 8 * 1024 * 1024; // one request, during which the host answers nothing else on the channel
const IN_FLIGHT = 8; // requests

/** Copies a whole file to another one, from the start; resolves with its size. The target is not cut off behind it. */
export async function copyContent(channel: SftpChannel, from: Handle, to: Handle): Promise<number> {
  const copied = await copyOnHost(channel, from, to);
  return copyThroughGateway(channel, { from, to, start: copied });
}

/** How many bytes: none without `copy-data`, or where the host reports no size, as in `/proc`. */
async function copyOnHost(channel: SftpChannel, from: Handle, to: Handle): Promise<number> {
  const { size } = await channel.fstat(from);
  for (let position = 0; position < size; position += COPY_BYTES) {
    const length = Math.min(COPY_BYTES, size - position);
    try {
      await channel.copyData(from, to, { position, length });
    } catch (error) {
      if (position === 0 && isUnsupported(error)) return 0;
      throw error;
    }
  }
  return size;
}

interface Copying {
  readonly from: Handle;
  readonly to: Handle;
  readonly start: number;
}

async function copyThroughGateway(channel: SftpChannel, { from, to, start }: Copying): Promise<number> {
  const length = channel.max_bytes;
  const bear = createShortReadLimit();
  let position = start;
  for (let asked = 1; ; asked = Math.min(IN_FLIGHT, asked * 2)) {
    const begin = position;
    const pieces = await Promise.all(
      Array.from({ length: asked }, (_, nth) => channel.readPieces(from, begin + nth * length, length)),
    );
    const writes: Promise<void>[] = [];
    for (const piece of pieces) {
      const bytes = lengthOf(piece);
      if (bytes > 0) writes.push(channel.write(to, position, sentOnce(piece)));
      bear(bytes);
      position += bytes;
      if (bytes < length) break; // the reads behind a short one used the wrong offsets
    }
    await allSettled(writes);
    if (position === begin) return position;
  }
}

/** Fails once nothing is in flight any more. */
async function allSettled(writes: readonly Promise<void>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(writes)) {
    if (outcome.status === 'rejected') throw outcome.reason;
  }
}

/** Writes bytes that are in memory, from the start. */
export async function writeBytes(channel: SftpChannel, to: Handle, bytes: Uint8Array): Promise<number> {
  const length = channel.max_bytes;
  for (let begin = 0; begin < bytes.length; begin += IN_FLIGHT * length) {
    const starts = Array.from({ length: IN_FLIGHT }, (_, nth) => begin + nth * length);
    const within = starts.filter((start) => start < bytes.length);
    await allSettled(
      within.map((start) => channel.write(to, start, sentOnce([bytes.subarray(start, start + length)]))),
    );
  }
  return bytes.length;
}

/** A whole file, into memory; undefined when it is larger than the limit. */
export async function readBytes(
  channel: SftpChannel,
  from: Handle,
  limit_bytes: number,
): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  const bear = createShortReadLimit();
  for (let position = 0; ; ) {
    const piece = await channel.readPieces(from, position, channel.max_bytes);
    if (piece.length === 0) return Buffer.concat(pieces);
    bear(lengthOf(piece));
    pieces.push(...piece);
    position += lengthOf(piece);
    if (position > limit_bytes) return undefined;
  }
}

/** Hosts without the extension write it in their own time. */
export async function syncFile(channel: SftpChannel, handle: Handle): Promise<void> {
  await channel.fsync(handle).catch((error: unknown) => {
    if (!isUnsupported(error)) throw error;
  });
}

/** Removes old content behind these bytes. */
export async function cutAt(channel: SftpChannel, handle: Handle, size: number): Promise<void> {
  const found = await channel.fstat(handle);
  if (found.size > size) return channel.fsetstat(handle, { size });
  if (found.size === size) return;
  throw new Fault('sftp_failed', 'Another program changed the file while it was being written');
}
