import { Fault } from '#core/errors.ts';
import { MAX_CHUNK_BYTES } from '../pool/flow-control.ts';
import { kindOf, type RemoteAttributes, type Stats } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import type { Handle } from '../protocol/requests.ts';
import { isUnchanged, pathSwapped } from '../protocol/swap-check.ts';
import { createShortReadLimit } from '../transfer/read.ts';

const UNKNOWN_SIZE_BYTES = 4095; // for files listed as empty: `/proc` reports size 0 for all of them
const MAX_UNKNOWN_BYTES = 8 * 1024 * 1024;

/** Undefined when the file is larger than `limit_bytes` or changed since the listing; `openRead` then handles it. */
export type WholeFile = { readonly bytes: Uint8Array; readonly stat: Stats } | undefined;

interface WholeRead {
  readonly path: string;
  readonly listed: RemoteAttributes;
  readonly limit_bytes: number;
}

/**
 * Reads and verifies one real path in two round trips. `openRead` checks a dozen times; this accepts an open file whose
 * attributes, owner and time included, match those in the directory listing.
 */
export async function readWhole(channel: SftpChannel, read: WholeRead): Promise<WholeFile> {
  const handle = await channel.open(read.path);
  try {
    const [stat, real, ...parts] = await Promise.all([
      channel.fstat(handle),
      channel.realpath(read.path),
      ...firstReads(channel, handle, read.listed.size ?? 0),
    ]);
    if (real !== read.path) throw pathSwapped();
    if (kindOf(stat) !== 'file') throw new Fault('not_a_file');
    if (stat.size > read.limit_bytes || !isUnchanged(read.listed, stat)) return undefined;
    return { stat, bytes: await readRest(channel, handle, { parts: upToShortRead(parts), size: stat.size }) };
  } finally {
    channel.close(handle).catch(() => {}); // the channel is gone, and the handle with it
  }
}

function firstReads(channel: SftpChannel, handle: Handle, listed_size: number): Promise<Uint8Array>[] {
  const expected = listed_size || UNKNOWN_SIZE_BYTES;
  return Array.from({ length: Math.ceil(expected / MAX_CHUNK_BYTES) }, (_, index) =>
    channel.read(
      handle,
      index * MAX_CHUNK_BYTES,
      Math.min(MAX_CHUNK_BYTES, expected - index * MAX_CHUNK_BYTES),
    ),
  );
}

/** Parts up to the first short read; those after it are at the wrong offset. */
function upToShortRead(parts: readonly Uint8Array[]): Uint8Array[] {
  const short = parts.findIndex(({ length }, index) => length < MAX_CHUNK_BYTES && index < parts.length - 1);
  return short === -1 ? [...parts] : parts.slice(0, short + 1);
}

/** Reads up to the size at open, or to the end if that was unknown. */
async function readRest(
  channel: SftpChannel,
  handle: Handle,
  { parts, size }: { parts: Uint8Array[]; size: number },
): Promise<Uint8Array> {
  const end = size || MAX_UNKNOWN_BYTES;
  let total = parts.reduce((sum, { length }) => sum + length, 0);
  const bear = createShortReadLimit();
  while (total < end && !(size === 0 && total === 0)) {
    const part = await channel.read(handle, total, Math.min(MAX_CHUNK_BYTES, end - total));
    if (part.length === 0) break;
    bear(part.length);
    parts.push(part);
    total += part.length;
  }
  const [only] = parts;
  const whole = parts.length === 1 && only ? only : Buffer.concat(parts);
  return whole.subarray(0, end);
}
