import { Fault } from '#core/errors.ts';
import { untilAborted } from '#core/lib/time/deadline.ts';
import type { ArchiveRoot } from '#core/ports/files.ts';
import { type LeasedChannel, leaseChannel } from '../pool/leased-channel.ts';
import type { SessionWork } from '../pool/session-work.ts';
import { prepareMember, skippedMember, WHOLE_BYTES } from './members.ts';
import { createZipNames } from './names.ts';
import { createSkipped, type Planned, planArchive } from './plan.ts';
import { prefetched } from './prefetch.ts';
import { type ZipMember, zipBytes } from './stream.ts';

const SKIPPED_NAME = '_skipped.txt';
const MAX_BYTES = 16 * 1024 * 1024; // memory of one archive, less if there are many
const PIECE_BYTES = 64 * 1024; // smaller pieces cost more to deliver than they carry

/** Pull-driven; holds the connection until the archive ends. */
export function openArchive(
  work: SessionWork,
  roots: readonly ArchiveRoot[],
  outer: AbortSignal,
): ReadableStream<Uint8Array> {
  const left = new AbortController();
  const signal = AbortSignal.any([outer, left.signal]);
  const opening = leaseChannel(work);
  opening.catch(() => {}); // reported by the first read
  const bytes = inPieces(archiveBytes(opening, roots, signal));
  let over = false;
  async function end(reason: unknown): Promise<void> {
    if (over) return;
    over = true;
    outer.removeEventListener('abort', onAbort);
    left.abort(reason);
    await bytes.return(undefined);
    (await opening).release();
  }
  const endQuietly = (reason: unknown) => void end(reason).catch(() => {}); // the reader has the error or has cancelled
  const onAbort = () => endQuietly(outer.reason);
  outer.addEventListener('abort', onAbort, { once: true });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await untilAborted(signal, bytes.next());
          if (!done) return controller.enqueue(value);
          endQuietly(undefined);
          controller.close();
        } catch (error) {
          endQuietly(error);
          throw outer.aborted ? outer.reason : error;
        }
      },
      cancel: () => endQuietly(new Fault('host_disconnected', 'The download was cancelled')),
    },
    { highWaterMark: 0 },
  );
}

async function* archiveBytes(
  opening: Promise<LeasedChannel>,
  roots: readonly ArchiveRoot[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  yield* zipBytes(membersOf(await opening, roots, signal));
}

async function* membersOf(
  lane: LeasedChannel,
  roots: readonly ArchiveRoot[],
  signal: AbortSignal,
): AsyncGenerator<ZipMember> {
  const names = createZipNames();
  const skipped = createSkipped();
  const share = lane.lease.connection.budget.join();
  try {
    yield* prefetched<Planned>({
      signal,
      plan: planArchive(lane.channel, roots, { signal, names, skipped }),
      cost: (planned) => (planned.kind === 'directory' ? 0 : costOf(planned.listed.size ?? 0)),
      max_bytes: () => Math.min(MAX_BYTES, share.bytes()),
      prepare: (planned) => prepareMember(planned, { lane, skipped, signal }),
    });
  } finally {
    share.leave();
  }
  const text = skipped.text();
  if (text !== undefined) yield skippedMember(names.file(SKIPPED_NAME), text);
}

function costOf(listed_size: number): number | 'open' {
  return listed_size > WHOLE_BYTES ? 'open' : listed_size;
}

async function* inPieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const bytes of source) {
    if (length === 0 && bytes.length >= PIECE_BYTES) {
      yield bytes;
      continue;
    }
    parts.push(bytes);
    length += bytes.length;
    if (length < PIECE_BYTES) continue;
    yield Buffer.concat(parts);
    parts = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(parts);
}
