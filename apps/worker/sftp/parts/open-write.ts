import { Fault } from '#core/errors.ts';
import { parentOf } from '#core/lib/paths/posix-path.ts';
import type { SettableAttributes, WritableFile, WriteOptions } from '#core/ports/files.ts';
import type { Lease } from '../pool/pool.ts';
import type { Transfer } from '../pool/transfer-channels.ts';
import { toFileStat } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import type { Settable } from '../protocol/encode.ts';
import { explainingChange } from '../protocol/failures.ts';
import { isRefusal } from '../protocol/refusals.ts';
import { isUnsupported } from '../protocol/status.ts';
import { createFileChannels } from '../transfer/file-channels.ts';
import { withTransfer } from '../transfer/with-transfer.ts';
import { changeAttributes } from '../tree/mode.ts';
import { assertOneName } from './in-place.ts';
import { type OpenPart, openEmptied, openNewPart, openToWrite } from './open.ts';
import { createRandomWrites } from './random-writes.ts';
import { explainRefusal } from './write.ts';

const MAX_OPENS = 5; // for a file that others keep creating and removing

/** Takes ownership of the lease. */
export function openWrite(lease: Lease, path: string, options: WriteOptions): Promise<WritableFile> {
  return withTransfer(lease, async (transfer, release) => {
    const { channel } = transfer;
    const opened = await explainingChange(channel, path, () => open(channel, path, options));
    return toWritableFile({ lease, transfer, path, opened, release });
  });
}

async function open(channel: SftpChannel, path: string, options: WriteOptions): Promise<OpenPart> {
  const { create = 'never', is_emptied = false } = options;
  for (let openings = 0; openings < MAX_OPENS; openings += 1) {
    const found = create === 'always' ? undefined : await openExisting(channel, path, create);
    if (found) return is_emptied ? emptied(channel, path, found) : found;
    const created = await openMissing(channel, path, options);
    if (created) return created;
  }
  throw new Fault('file_busy');
}

/** Undefined when the file is missing, and may be. */
async function openExisting(
  channel: SftpChannel,
  path: string,
  create: 'never' | 'missing',
): Promise<OpenPart | undefined> {
  try {
    const opened = await openToWrite(channel, path);
    await assertOneName(channel, path).catch(async (error: unknown) => {
      await channel.close(opened.handle).catch(() => {}); // the first error is the one to report
      throw error;
    });
    return opened;
  } catch (error) {
    if (create === 'missing' && error instanceof Fault && error.code === 'file_not_found') return undefined;
    throw error;
  }
}

/** Undefined when somebody else has just created it, and may. */
async function openMissing(
  channel: SftpChannel,
  path: string,
  { create, mode }: WriteOptions,
): Promise<OpenPart | undefined> {
  try {
    const handle = await openNewPart(channel, path, { is_private: false, mode });
    return { handle, stats: await channel.fstat(handle) };
  } catch (error) {
    if (create === 'missing' && error instanceof Fault && error.code === 'already_exists') return undefined;
    throw error;
  }
}

/** By handle, or by opening it again on hosts that set no attributes of an open file. */
async function emptied(channel: SftpChannel, path: string, opened: OpenPart): Promise<OpenPart> {
  try {
    await channel.fsetstat(opened.handle, { size: 0 });
    return opened;
  } catch (error) {
    const again = isRefusal(error) ? await openEmptied(channel, path).catch(() => undefined) : undefined;
    await channel.close(opened.handle).catch(() => {}); // nothing was written to it
    if (!again) throw error;
    return { ...opened, handle: again };
  }
}

interface Opening {
  readonly lease: Lease;
  readonly transfer: Transfer;
  readonly path: string;
  readonly opened: OpenPart;
  release(): void;
}

/** Uses a single channel, on which the server executes requests in order. */
function toWritableFile({ lease, transfer, path, opened, release }: Opening): WritableFile {
  const { channel } = transfer;
  const { handle, stats } = opened;
  const flow = lease.connection.up.join();
  flow.limitChunk(channel.max_bytes);
  const another = () => Promise.reject(new Fault('internal', 'Random writes use one channel'));
  const lanes = createFileChannels({ transfer, handle, flow, open: another, expected_bytes: 0 });
  const explain = async (error: unknown): Promise<never> => {
    throw await explainRefusal(error, { channel, path: parentOf(path), needed_bytes: 1 });
  };
  const writes = createRandomWrites(lanes, explain);
  let closing: Promise<void> | undefined;
  return {
    stat: toFileStat(stats),
    ready: writes.ready,
    write: writes.write,
    async truncate(size) {
      await writes.settled();
      await channel.fsetstat(handle, { size }).catch(explain);
    },
    async setAttributes(attributes) {
      const wanted = toSettable(attributes);
      await writes.settled(); // a later write would change the time again
      await channel.fsetstat(handle, wanted).catch((error: unknown) => {
        if (!isUnsupported(error)) throw error;
        return changeAttributes(channel, path, wanted);
      });
    },
    async sync() {
      await writes.settled();
      return isSynced(channel.fsync(handle).catch(explain));
    },
    close() {
      closing ??= writes
        .end()
        .then(() => lanes.close().catch(explain))
        .finally(release);
      return closing;
    },
  };
}

async function isSynced(synced: Promise<void>): Promise<boolean> {
  try {
    await synced;
    return true;
  } catch (error) {
    if (isUnsupported(error)) return false;
    throw error;
  }
}

const LATEST_S = 0xffff_ffff;

/** Throws `validation` for a time that SFTP version 3 cannot express. */
export function toSettable({ mode, times }: SettableAttributes): Settable {
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(times && { mtime: secondsOf(times.modified), atime: secondsOf(times.accessed) }),
  };
}

function secondsOf(time: string): number {
  const seconds = Math.floor(Date.parse(time) / 1000);
  if (seconds >= 0 && seconds <= LATEST_S) return seconds;
  throw new Fault('validation', 'SFTP knows only times from 1970 to 2106');
}
