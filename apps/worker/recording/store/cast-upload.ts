import { open } from 'node:fs/promises';
import type { AcquireSlot } from '#core/lib/concurrency/limiter.ts';
import { untilAborted } from '#core/lib/time/deadline.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { ObjectStore, Part, Upload } from './object-store.ts';
import { isUnknownUpload } from './store-fault.ts';

export const PART_BYTES = 8 * 1024 * 1024; // S3 takes 5 MiB at least
const MAX_PARTS = 10_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;

export interface CastUploadDeps {
  readonly store: ObjectStore;
  readonly clock: Pick<Clock, 'after'>;
  /** Limits the parts that are in memory at once. */
  readonly acquirePart: AcquireSlot;
  readonly part_bytes: number;
}

/** Uploads a growing file in parts; the file is read again when the store has lost them. */
export class CastUpload {
  readonly #deps: CastUploadDeps;
  readonly #key: string;
  readonly #file: string;
  #part_bytes: number;
  #upload: Upload | undefined;
  #parts: Part[] = [];
  #size = 0;
  #retry_ms = FIRST_RETRY_MS;
  #cancelRetry: (() => void) | undefined;
  #pumping: Promise<void> | undefined;
  readonly #ended = new AbortController();

  constructor(deps: CastUploadDeps, { key, file }: { readonly key: string; readonly file: string }) {
    this.#deps = deps;
    this.#key = key;
    this.#file = file;
    this.#part_bytes = deps.part_bytes;
  }

  /** The file has this size now. Sends whole parts in the background, and tries again by itself. */
  grow(size: number): void {
    this.#size = size;
    const is_waiting = this.#pumping !== undefined || this.#cancelRetry !== undefined;
    if (is_waiting || this.#ended.signal.aborted || !this.#hasWholePart()) return;
    this.#pumping = this.#pump().finally(() => {
      this.#pumping = undefined;
    });
  }

  /** Sends what is left of the closed file and completes the object. */
  async finish(size: number, signal: AbortSignal): Promise<void> {
    await untilAborted(signal, this.#pumping ?? Promise.resolve());
    this.#stopRetrying();
    this.#size = size;
    await this.#sendAll(AbortSignal.any([signal, this.#ended.signal]));
  }

  /** It is not used any more. */
  cancel(): void {
    this.#stopRetrying();
    this.#ended.abort(new Error('The upload was cancelled'));
  }

  #stopRetrying(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
  }

  #sent(): number {
    return this.#parts.length * this.#part_bytes;
  }

  #hasWholePart(): boolean {
    return this.#size - this.#sent() >= this.#part_bytes && this.#parts.length < MAX_PARTS - 1;
  }

  async #pump(): Promise<void> {
    const { signal } = this.#ended;
    try {
      while (this.#hasWholePart() && !signal.aborted) await this.#sendPart(signal);
      this.#retry_ms = FIRST_RETRY_MS;
    } catch (error) {
      if (isUnknownUpload(error)) this.#forget();
      if (!signal.aborted) this.#retryLater();
    }
  }

  #retryLater(): void {
    this.#cancelRetry = this.#deps.clock.after(this.#retry_ms, () => {
      this.#cancelRetry = undefined;
      this.grow(this.#size);
    });
    this.#retry_ms = Math.min(LAST_RETRY_MS, this.#retry_ms * 2);
  }

  async #sendAll(signal: AbortSignal): Promise<void> {
    const { store, acquirePart } = this.#deps;
    const least_bytes = Math.ceil(this.#size / MAX_PARTS);
    if (least_bytes > this.#part_bytes) {
      this.#forget(); // it has outgrown the parts it was begun with
      this.#part_bytes = least_bytes;
    }
    if (!this.#upload) await store.abandon(this.#key); // of an earlier process
    if (!this.#upload && this.#size <= this.#part_bytes) {
      const release = await acquirePart(signal);
      const work = this.#read(0).then((bytes) => store.put(this.#key, bytes, signal));
      return work.finally(release);
    }
    while (this.#sent() < this.#size) await this.#sendPart(signal);
    if (this.#upload) await store.finish(this.#upload, this.#parts, signal);
  }

  #forget(): void {
    this.#upload = undefined;
    this.#parts = [];
  }

  async #sendPart(signal: AbortSignal): Promise<void> {
    const { store, acquirePart } = this.#deps;
    const release = await acquirePart(signal);
    try {
      this.#upload ??= await store.begin(this.#key, signal);
      const part = { number: this.#parts.length + 1, bytes: await this.#read(this.#sent()) };
      this.#parts.push(await store.part(this.#upload, part, signal));
    } finally {
      release();
    }
  }

  async #read(start: number): Promise<Uint8Array> {
    const wanted = Math.min(this.#part_bytes, this.#size - start);
    const bytes = new Uint8Array(wanted);
    const file = await open(this.#file, 'r');
    try {
      for (let at = 0; at < wanted; ) {
        const { bytesRead } = await file.read(bytes, at, wanted - at, start + at);
        if (bytesRead === 0) throw new Error('The recording is shorter than it was');
        at += bytesRead;
      }
    } finally {
      await file.close();
    }
    return bytes;
  }
}
