import { Fault } from '#core/errors.ts';
import { untilAborted } from '#core/lib/deadline.ts';
import type { ByteSource, Placed, PutOptions } from '#core/ports/files.ts';
import type { Lease } from '../pool/pool.ts';
import type { Transfer } from '../pool/transfer-channels.ts';
import { kindOf, type Stats } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import type { Handle } from '../protocol/requests.ts';
import { createFileChannels } from '../transfer/file-channels.ts';
import { whileConnected, withTransfer } from '../transfer/with-transfer.ts';
import { contentIn, writeInPlace } from './in-place.ts';
import { linkCount } from './links.ts';
import { isRefused, openNewPart, openPart } from './open.ts';
import { setMode, setModified, takeOver } from './permissions.ts';
import { lookAtTarget, movePart, pour } from './place.ts';
import { explainRefusal, writeAll } from './write.ts';

export interface PutRequest extends PutOptions {
  readonly path: string;
  readonly source: ByteSource;
}

/** Takes ownership of the lease. The part stays open from its creation on: some hosts refuse to open it again. */
export function putPart(lease: Lease, request: PutRequest): Promise<Placed> {
  return withTransfer(lease, async (transfer, release) => {
    const { signal, path, beforePlace } = request;
    signal.throwIfAborted();
    const { channel } = transfer;
    const created = await create(channel, request);
    if ('placed' in created) {
      release();
      return created.placed;
    }
    const { handle } = created;
    const file = openFile(lease, { transfer, handle, path });
    try {
      const filled = await whileConnected(lease, signal, (either) =>
        fill(file, { ...request, signal: either }),
      );
      await beforePlace?.();
      signal.throwIfAborted();
      const replaced = beforePlace ? await lookAtTarget(channel, request) : filled.replaced;
      return await place(file, request, { ...filled, replaced });
    } finally {
      await file.close().then(release, release);
    }
  });
}

async function place(file: OpenFile, request: PutRequest, { stats, replaced }: Filled): Promise<Placed> {
  const { channel, handle } = file;
  const { path, mode, modified, keeps_links } = request;
  const part = { path, handle, stats };
  const may_link = keeps_links && !channel.is_confined; // another name of the file may be outside the allowed directories
  const links = replaced && may_link ? await linkCount(channel, request.target) : undefined;
  const is_linked = links !== undefined && links > 1;
  const is_kept = !is_linked && (replaced === undefined || (await takeOver(channel, part, replaced)));
  if (!replaced && mode !== undefined) await setMode(channel, part, mode);
  if (modified !== undefined) await setModified(channel, part, modified);
  await file.close(); // before the rename: some hosts cannot rename an open file, and some disks fail only here
  if (!is_kept) return { ...(await pour(channel, request)), in_place: true };
  await movePart(channel, request);
  return { size: stats.size, in_place: false, is_mode_kept: true };
}

type Created = { readonly handle: Handle } | { readonly placed: Placed };

/** Where no part can be created, an existing file may still be writable. */
async function create(channel: SftpChannel, request: PutRequest): Promise<Created> {
  const { path, target, whole, beforePlace, signal } = request;
  try {
    return { handle: await openNewPart(channel, path, request) };
  } catch (error) {
    if (!whole || !isRefused(error)) throw error;
    const replaced = await lookAtTarget(channel, request);
    if (!replaced || kindOf(replaced) !== 'file') throw error;
    await beforePlace?.();
    signal.throwIfAborted();
    return { placed: { ...(await writeInPlace(channel, target, contentIn(whole))), in_place: true } };
  }
}

interface OpenFile {
  readonly channel: SftpChannel;
  readonly handle: Handle;
  readonly lanes: ReturnType<typeof createFileChannels>;
  close(): Promise<void>;
}

function openFile(
  lease: Lease,
  { transfer, handle, path }: { transfer: Transfer; handle: Handle; path: string },
): OpenFile {
  const { channel } = transfer;
  const flow = lease.connection.up.join();
  flow.limitChunk(channel.max_bytes);
  const open = async (another: SftpChannel) => (await openPart(another, path)).handle;
  const expected_bytes = Number.POSITIVE_INFINITY;
  const lanes = createFileChannels({ transfer, handle, flow, open, expected_bytes });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= lanes.close().catch(async (error: unknown) => {
      throw await explainRefusal(error, { channel, path, needed_bytes: 1 });
    });
    return closing;
  };
  return { channel, handle, lanes, close };
}

interface Filled {
  readonly stats: Stats;
  readonly replaced: Stats | undefined;
}

async function fill({ channel, handle, lanes }: OpenFile, request: PutRequest): Promise<Filled> {
  let looking: Promise<[Stats, Stats | undefined]> | undefined;
  // Sent behind the last WRITE, which saves a round trip.
  const onSent = () => {
    const look = request.beforePlace ? undefined : lookAtTarget(channel, request);
    looking = Promise.all([channel.fstat(handle), look]);
    looking.catch(() => {}); // reported below, unless a write has failed
  };
  const { contiguous_bytes: whole_bytes, failure } = await untilAborted(
    request.signal,
    writeAll(lanes, { ...request, onSent }, 0),
  );
  if (failure) throw failure;
  const [early, replaced] = (await looking) ?? [];
  // Other channels may have been writing when it was asked.
  const stats = early?.size === whole_bytes ? early : await channel.fstat(handle);
  if (stats.size !== whole_bytes) {
    throw new Fault('sftp_failed', 'Another program changed the file during the upload');
  }
  return { stats, replaced };
}
