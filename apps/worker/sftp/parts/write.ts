import { Fault } from '#core/errors.ts';
import { untilAborted } from '#core/lib/time/deadline.ts';
import type { ByteSource, FillOptions } from '#core/ports/files.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { isDiskFull } from '../protocol/failures.ts';
import { inChunks, type SentOnce, sentOnce } from '../protocol/pieces.ts';
import { isUnexplained } from '../protocol/status.ts';
import type { FileChannels } from '../transfer/file-channels.ts';

export interface WriteRequest extends FillOptions {
  readonly path: string;
  readonly source: ByteSource;
  /** Called when everything has been sent, and not yet answered. */
  readonly onSent?: () => void;
}

export interface Written {
  /** Bytes written from the start, without a gap. */
  readonly contiguous_bytes: number;
  /** A WRITE failed, and one behind it may have succeeded. */
  readonly is_torn: boolean;
  /** Why the write stopped early. */
  readonly failure: unknown;
}

/** Writes the source from `offset` on, with several WRITEs in flight; resolves when all have settled. */
export async function writeAll(lanes: FileChannels, request: WriteRequest, offset: number): Promise<Written> {
  const { source, signal, limit_bytes = Number.POSITIVE_INFINITY } = request;
  const window = createWriteWindow(lanes, request);
  let sent_bytes = 0;
  let failure: unknown;
  try {
    const taken = readUntilAborted(source, AbortSignal.any([signal, window.failed]));
    for await (const chunk of inChunks(limited(taken, limit_bytes), lanes.chunk_bytes)) {
      await window.room();
      const content = sentOnce(chunk);
      window.write(offset + sent_bytes, content);
      sent_bytes += content.bytes;
    }
    request.onSent?.();
  } catch (error) {
    failure = error;
  }
  await window.drained();
  const first_failed = window.firstFailed();
  return {
    contiguous_bytes: Math.min(sent_bytes, (first_failed?.position ?? Number.POSITIVE_INFINITY) - offset),
    is_torn: first_failed !== undefined,
    failure: failure ?? first_failed?.error,
  };
}

async function* limited(source: AsyncIterable<Uint8Array>, limit_bytes: number): AsyncGenerator<Uint8Array> {
  let received_bytes = 0;
  for await (const bytes of source) {
    received_bytes += bytes.length;
    if (received_bytes > limit_bytes) throw new Fault('upload_too_large');
    yield bytes;
  }
}

interface FailedWrite {
  readonly position: number;
  readonly error: unknown;
}

function createWriteWindow(lanes: FileChannels, { path, onWritten, signal }: WriteRequest) {
  const failed = new AbortController();
  let in_flight_bytes = 0;
  let first_failed: FailedWrite | undefined;
  let wake = () => {};

  async function send(position: number, content: SentOnce): Promise<void> {
    const { bytes } = content;
    in_flight_bytes += bytes;
    try {
      await lanes.run(bytes, (channel, handle) =>
        channel.write(handle, position, content).catch(async (error: unknown) => {
          throw await explainRefusal(error, { channel, path, needed_bytes: bytes });
        }),
      );
      onWritten?.(bytes);
    } catch (error) {
      if (!first_failed || position < first_failed.position) first_failed = { position, error };
      failed.abort(error);
    } finally {
      in_flight_bytes -= bytes;
      wake();
    }
  }
  const change = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  return {
    failed: failed.signal,
    firstFailed: () => first_failed,
    write: (position: number, content: SentOnce) => void send(position, content),
    /** Resolves when there is room for another chunk. */
    async room(): Promise<void> {
      for (;;) {
        signal.throwIfAborted();
        failed.signal.throwIfAborted();
        if (lanes.next_bytes(in_flight_bytes) > 0) return;
        await change();
      }
    },
    async drained(): Promise<void> {
      while (in_flight_bytes > 0) await change();
    },
  };
}

interface Refused {
  readonly channel: SftpChannel;
  readonly path: string;
  readonly needed_bytes: number;
}

const REFUSED = 'The host refused to write: a quota, a file size limit or a failing disk may be the reason';

/** Why the host did not take the content. */
export async function explainRefusal(
  error: unknown,
  { channel, path, needed_bytes: wanted_bytes }: Refused,
): Promise<unknown> {
  if (!isUnexplained(error)) return error;
  const is_full = await isDiskFull(channel, path, wanted_bytes);
  return is_full
    ? new Fault('remote_disk_full', undefined, { cause: error })
    : new Fault('sftp_failed', REFUSED, { cause: error });
}

/** Reads the source until it ends or the signal aborts, and closes it in either case. */
export async function* readUntilAborted(source: ByteSource, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  let has_ended = false;
  try {
    for (;;) {
      const next = await untilAborted(signal, iterator.next());
      has_ended = next.done === true;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited: a source that hangs would handle this only once it continues.
    if (!has_ended) iterator.return?.().then(ignore, ignore);
  }
}

const ignore = () => {};
