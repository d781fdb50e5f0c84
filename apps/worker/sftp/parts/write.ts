import { Fault } from '#core/errors.ts';
import { untilAborted } from '#core/lib/deadline.ts';
import type { ByteSource, FillOptions } from '#core/ports/files.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { isDiskFull } from '../protocol/failures.ts';
import { inChunks, lengthOf, type Pieces } from '../protocol/pieces.ts';
import { isUnexplained } from '../protocol/status.ts';
import type { Lanes } from '../transfer/file-channels.ts';

export interface WriteRequest extends FillOptions {
  readonly path: string;
  readonly source: ByteSource;
}

export interface Written {
  /** From the first byte on, without a gap. */
  readonly whole_bytes: number;
  /** A WRITE was refused; one after it may have been taken. */
  readonly is_torn: boolean;
  /** Why it did not come to its end. */
  readonly failure: unknown;
}

/** Writes the source from `offset` on, several WRITEs at a time; resolves when none is under way any more. */
export async function writeAll(lanes: Lanes, request: WriteRequest, offset: number): Promise<Written> {
  const { source, signal, limit_bytes = Number.POSITIVE_INFINITY } = request;
  const flight = createFlight(lanes, request);
  let asked_bytes = 0;
  let failure: unknown;
  try {
    const taken = takeFrom(source, AbortSignal.any([signal, flight.failed]));
    for await (const chunk of inChunks(limited(taken, limit_bytes), lanes.chunk_bytes)) {
      await flight.room();
      flight.write(offset + asked_bytes, chunk);
      asked_bytes += lengthOf(chunk);
    }
  } catch (error) {
    failure = error;
  }
  await flight.landed();
  const first_lost = flight.firstLost();
  return {
    whole_bytes: Math.min(asked_bytes, (first_lost?.position ?? Number.POSITIVE_INFINITY) - offset),
    is_torn: first_lost !== undefined,
    failure: failure ?? first_lost?.error,
  };
}

async function* limited(source: AsyncIterable<Uint8Array>, limit_bytes: number): AsyncGenerator<Uint8Array> {
  let came_bytes = 0;
  for await (const bytes of source) {
    came_bytes += bytes.length;
    if (came_bytes > limit_bytes) throw new Fault('upload_too_large');
    yield bytes;
  }
}

interface Lost {
  readonly position: number;
  readonly error: unknown;
}

function createFlight(lanes: Lanes, { path, onWritten, signal }: WriteRequest) {
  const failed = new AbortController();
  let under_way_bytes = 0;
  let first_lost: Lost | undefined;
  let wake = () => {};

  async function send(position: number, chunk: Pieces): Promise<void> {
    const bytes = lengthOf(chunk);
    under_way_bytes += bytes;
    try {
      await lanes.run(bytes, (channel, handle) =>
        channel.write(handle, position, chunk).catch(async (error: unknown) => {
          throw await explain(error, { channel, path, wanted_bytes: bytes });
        }),
      );
      onWritten?.(bytes);
    } catch (error) {
      if (!first_lost || position < first_lost.position) first_lost = { position, error };
      failed.abort(error);
    } finally {
      under_way_bytes -= bytes;
      wake();
    }
  }
  const change = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  return {
    failed: failed.signal,
    firstLost: () => first_lost,
    write: (position: number, chunk: Pieces) => void send(position, chunk),
    /** Resolves when one more chunk may be written. */
    async room(): Promise<void> {
      for (;;) {
        signal.throwIfAborted();
        failed.signal.throwIfAborted();
        if (lanes.next_bytes(under_way_bytes) > 0) return;
        await change();
      }
    },
    async landed(): Promise<void> {
      while (under_way_bytes > 0) await change();
    },
  };
}

interface Refused {
  readonly channel: SftpChannel;
  readonly path: string;
  readonly wanted_bytes: number;
}

const REFUSED = 'The host refused to write: a quota, a limit for the size of files, or a failing disk';

async function explain(error: unknown, { channel, path, wanted_bytes }: Refused): Promise<unknown> {
  if (!isUnexplained(error)) return error;
  const is_full = await isDiskFull(channel, path, wanted_bytes);
  return is_full
    ? new Fault('remote_disk_full', undefined, { cause: error })
    : new Fault('sftp_failed', REFUSED, { cause: error });
}

/** What the source gives, until it ends or the signal aborts; it is ended in any case, even while it has nothing. */
export async function* takeFrom(source: ByteSource, signal: AbortSignal): AsyncGenerator<Uint8Array> {
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
    // Not waited for: a source that hangs takes this only when it goes on.
    if (!has_ended) iterator.return?.().then(ignore, ignore);
  }
}

const ignore = () => {};
