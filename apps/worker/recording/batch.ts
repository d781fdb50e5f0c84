import type { PtySize } from '#core/ports/ssh.ts';
import type { CastEvent } from './verbs.ts';

export const BATCH_BYTES = 256 * 1024;
export const MAX_EVENT_BYTES = 64 * 1024;
const SMALL_BYTES = 8 * 1024; // enough for interactive typing
const MERGE_MS = 10; // shorter than one frame
const MAX_POOLED = 32; // the most that one recording may have pending

/** Reuses buffers of one size: allocating costs more than copying into them. */
export interface BufferPool {
  take(): ArrayBuffer;
  release(buffer: ArrayBuffer): void;
}

export function createBufferPool(): BufferPool {
  const spare: ArrayBuffer[] = [];
  return {
    take: () => spare.pop() ?? new ArrayBuffer(BATCH_BYTES),
    release(buffer) {
      if (buffer.byteLength === BATCH_BYTES && spare.length < MAX_POOLED) spare.push(buffer);
    },
  };
}

export interface TakenBatch {
  readonly buffer: ArrayBuffer;
  readonly events: readonly CastEvent[];
  readonly bytes: number;
}

/** Collects events for the writing thread. */
export class CastBatch {
  readonly #spare: BufferPool;
  #into = new Uint8Array(0);
  #events: CastEvent[] = [];
  #bytes = 0;

  constructor(spare: BufferPool) {
    this.#spare = spare;
  }

  get is_empty(): boolean {
    return this.#events.length === 0;
  }

  hasRoomFor(bytes: number): boolean {
    return this.#bytes + bytes <= BATCH_BYTES;
  }

  /** Adds at most `MAX_EVENT_BYTES`; the caller has checked `hasRoomFor`. */
  output(at_ms: number, bytes: Uint8Array): void {
    if (this.#bytes + bytes.length > this.#into.length) this.#grow(this.#bytes + bytes.length);
    this.#into.set(bytes, this.#bytes);
    this.#bytes += bytes.length;
    const last = this.#events.at(-1);
    if (
      last?.bytes === undefined ||
      at_ms - last.at_ms > MERGE_MS ||
      last.bytes + bytes.length > MAX_EVENT_BYTES
    )
      this.#events.push({ at_ms, bytes: bytes.length });
    else last.bytes += bytes.length;
  }

  resize(at_ms: number, size: PtySize): void {
    this.#events.push({ at_ms, size });
  }

  take(): TakenBatch {
    const taken = { buffer: this.#into.buffer, events: this.#events, bytes: this.#bytes };
    this.#into = new Uint8Array(0);
    this.#events = [];
    this.#bytes = 0;
    return taken;
  }

  #grow(bytes: number): void {
    const larger = new Uint8Array(bytes > SMALL_BYTES ? this.#spare.take() : new ArrayBuffer(SMALL_BYTES));
    larger.set(this.#into.subarray(0, this.#bytes));
    this.#into = larger;
  }
}
