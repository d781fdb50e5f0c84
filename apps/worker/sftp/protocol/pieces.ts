import { Fault } from '#core/errors.ts';

/** Bytes as they arrived, in order. */
export type Pieces = readonly Uint8Array[];

export function lengthOf(pieces: Pieces): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** The content of one WRITE. Sending it takes it out, so that a request that waits for its reply keeps no bytes in memory. */
export interface SentOnce {
  readonly bytes: number;
  /** Throws the second time: a WRITE without its content would corrupt the file. */
  take(): Pieces;
}

export function sentOnce(pieces: Pieces): SentOnce {
  let held: Pieces | undefined = pieces;
  return {
    bytes: lengthOf(pieces),
    take() {
      if (!held) throw new Fault('internal', 'The content of a WRITE has already been sent');
      const taken = held;
      held = undefined;
      return taken;
    },
  };
}

const MAX_DELAY_MS = 20;

/**
 * Regroups the bytes into chunks; `wanted_bytes` is read when a chunk starts. A partial chunk is emitted after a short
 * delay or when the source fails, so that a slow sender sees progress and no received bytes are lost.
 */
export async function* inChunks(
  source: AsyncIterable<Uint8Array>,
  wanted_bytes: () => number,
): AsyncGenerator<Pieces> {
  const iterator = source[Symbol.asyncIterator]();
  const chunk = createChunk(wanted_bytes);
  let has_ended = false;
  try {
    for (let next = iterator.next(); ; ) {
      const step = await stepOf(next, chunk.overdue());
      if (step.kind === 'bytes') {
        yield* chunk.fill(step.bytes);
        next = iterator.next();
        continue;
      }
      if (chunk.bytes() > 0) yield chunk.take();
      if (step.kind === 'overdue') continue;
      has_ended = true;
      if (step.kind === 'failed') throw step.error;
      return;
    }
  } finally {
    if (!has_ended) await iterator.return?.();
  }
}

type Step =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'overdue' | 'end' }
  | { readonly kind: 'failed'; readonly error: unknown };

function stepOf(
  next: Promise<IteratorResult<Uint8Array>>,
  overdue: Promise<Step> | undefined,
): Promise<Step> {
  const came = next.then(
    ({ done, value }): Step => (done ? { kind: 'end' } : { kind: 'bytes', bytes: value }),
    (error: unknown): Step => ({ kind: 'failed', error }),
  );
  return overdue === undefined ? came : Promise.race([came, overdue.then(afterPendingIo)]);
}

/** Bytes that arrived while the consumer was busy go first. */
function afterPendingIo(step: Step): Promise<Step> {
  return new Promise((resolve) => setImmediate(resolve, step));
}

function createChunk(wanted_bytes: () => number) {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  let max_bytes = 0;
  let overdue: Promise<Step> | undefined; // one timer per chunk, not per piece
  let timer: NodeJS.Timeout | undefined;
  function begin(): void {
    max_bytes = wanted_bytes();
    overdue = new Promise((resolve) => {
      timer = setTimeout(resolve, MAX_DELAY_MS, { kind: 'overdue' });
    });
  }
  function take(): Pieces {
    clearTimeout(timer);
    overdue = undefined;
    const taken = packed(pieces);
    pieces = [];
    bytes = 0;
    return taken;
  }
  return {
    bytes: () => bytes,
    overdue: () => overdue,
    take,
    /** Yields each full chunk; the rest starts the next one. */
    *fill(more: Uint8Array): Generator<Pieces> {
      for (let from = 0; from < more.length; ) {
        if (bytes === 0) begin();
        const piece = more.subarray(from, from + max_bytes - bytes);
        pieces.push(piece);
        bytes += piece.length;
        from += piece.length;
        if (bytes === max_bytes) yield take();
      }
    },
  };
}

const SMALL_BYTES = 16 * 1024;

/** Each piece is sent as its own packet; many small ones cost more than a copy. */
function packed(pieces: Pieces): Pieces {
  return lengthOf(pieces) / pieces.length < SMALL_BYTES ? [Buffer.concat(pieces)] : pieces;
}
