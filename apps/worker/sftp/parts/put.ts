import { Fault } from '#core/errors.ts';
import { parentOf } from '#core/lib/paths/posix-path.ts';
import { untilAborted } from '#core/lib/time/deadline.ts';
import type { ByteSource, Placed, PutOptions } from '#core/ports/files.ts';
import type { Lease } from '../pool/pool.ts';
import type { Transfer } from '../pool/transfer-channels.ts';
import type { Stats } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { explainingChange } from '../protocol/failures.ts';
import type { Refusals } from '../protocol/host-memory.ts';
import { refusalsOf } from '../protocol/refusals.ts';
import type { Handle } from '../protocol/requests.ts';
import { createFileChannels } from '../transfer/file-channels.ts';
import { whileConnected, withTransfer } from '../transfer/with-transfer.ts';
import { putDirectly } from './direct.ts';
import { isRefused, type NewFile, openNewPart, openPart } from './open.ts';
import { setMode, setModified, takeOver } from './permissions.ts';
import { finish } from './place.ts';
import { decidePlacement, type Placement } from './placement.ts';
import { explainRefusal, writeAll } from './write.ts';

export interface PutRequest extends PutOptions {
  readonly path: string;
  readonly source: ByteSource;
}

/** Takes ownership of the lease. The part stays open from its creation on: some hosts refuse to open it again. */
export function putPart(lease: Lease, request: PutRequest): Promise<Placed> {
  return withTransfer(lease, async (transfer, release) => {
    const { signal, target } = request;
    signal.throwIfAborted();
    const { channel } = transfer;
    const begun = await begin(channel, request);
    if (begun.handle) return putThroughPart(lease, request, { transfer, release, handle: begun.handle });
    const put = () => putDirectly(lease, request, { transfer, placement: begun.placement });
    const placed = await explainingChange(channel, target, put);
    release();
    return placed;
  });
}

interface Begun {
  /** Handle of the part; undefined where the target itself is written. */
  readonly handle: Handle | undefined;
  readonly placement: Placement;
}

/** Refuses early what the target decides, before the content is sent. */
async function begin(channel: SftpChannel, request: PutRequest): Promise<Begun> {
  const refusals = await refusalsOf(channel, parentOf(request.target));
  return explainingChange(channel, request.target, async () => {
    if (!refusals.rename && !refusals.remove) return createAndDecide(channel, request);
    const placement = await decidePlacement(channel, request);
    if (writesDirectly(refusals, placement)) return { handle: undefined, placement };
    return { handle: await openNewPart(channel, request.path, toNewFile(request)), placement };
  });
}

/** A part could not be renamed, or would stay. */
function writesDirectly({ rename }: Refusals, { kind }: Placement): boolean {
  return rename || kind === 'in_place';
}

/** The part is created meanwhile, which saves a round trip. */
async function createAndDecide(channel: SftpChannel, request: PutRequest): Promise<Begun> {
  const [created, decided] = await Promise.allSettled([
    openNewPart(channel, request.path, toNewFile(request)),
    decidePlacement(channel, request),
  ]);
  const handle = created.status === 'fulfilled' ? created.value : undefined;
  if (decided.status === 'rejected') {
    if (handle) await channel.close(handle).catch(() => {}); // the first error is the one to report
    throw decided.reason;
  }
  const placement = decided.value;
  // Where no part can be created, an existing file may still be writable.
  const is_refused = created.status === 'rejected' && isRefused(created.reason);
  if (created.status === 'rejected' && !(is_refused && placement.kind !== 'create')) throw created.reason;
  return { handle, placement };
}

/** A new file may have its mode from the start, which a host may not let be set later. */
function toNewFile({ is_private, is_new, mode }: PutRequest): NewFile {
  return is_new && mode !== undefined ? { is_private: false, mode } : { is_private };
}

interface Part {
  readonly transfer: Transfer;
  readonly handle: Handle;
  release(): void;
}

async function putThroughPart(
  lease: Lease,
  request: PutRequest,
  { transfer, handle, release }: Part,
): Promise<Placed> {
  const { channel } = transfer;
  const { signal, path, beforePlace, target } = request;
  const file = openFile(lease, { transfer, handle, path });
  try {
    return await explainingChange(channel, target, async () => {
      const filled = await whileConnected(lease, signal, (either) =>
        fill(file, { ...request, signal: either }),
      );
      await beforePlace?.();
      signal.throwIfAborted();
      const placement = filled.placement ?? (await decidePlacement(channel, request));
      return place(file, request, { ...filled, placement });
    });
  } finally {
    await file.close().then(release, release);
  }
}

interface Full {
  readonly stats: Stats;
  readonly placement: Placement;
}

async function place(file: OpenFile, request: PutRequest, { stats, placement }: Full): Promise<Placed> {
  const { channel, handle } = file;
  const { path, mode, modified } = request;
  const part = { path, handle, stats };
  const is_kept =
    placement.kind !== 'replace' ||
    (await takeOver(channel, part, { ...placement.replaced, mode: placement.mode }));
  if (placement.kind === 'create' && mode !== undefined) await setMode(channel, part, mode);
  if (modified !== undefined) await setModified(channel, part, modified);
  await file.close(); // before the rename: some hosts cannot rename an open file, and some disks fail only here
  return { ...(await finish(channel, request, { placement, is_kept, mode })), size: stats.size };
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
  readonly placement: Placement | undefined;
}

async function fill({ channel, handle, lanes }: OpenFile, request: PutRequest): Promise<Filled> {
  let looking: Promise<[Stats, Placement | undefined]> | undefined;
  // Sent behind the last WRITE, which saves a round trip.
  const onSent = () => {
    const look = request.beforePlace ? undefined : decidePlacement(channel, request);
    looking = Promise.all([channel.fstat(handle), look]);
    looking.catch(() => {}); // reported below, unless a write has failed
  };
  const { contiguous_bytes: whole_bytes, failure } = await untilAborted(
    request.signal,
    writeAll(lanes, { ...request, onSent }, 0),
  );
  if (failure) throw failure;
  const [early, placement] = (await looking) ?? [];
  // Other channels may have been writing when it was asked.
  const stats = early?.size === whole_bytes ? early : await channel.fstat(handle);
  if (stats.size !== whole_bytes) {
    throw new Fault('sftp_failed', 'Another program changed the file during the upload');
  }
  return { stats, placement };
}
