import { flowFor } from '#core/lib/bytes/watermark.ts';
import type { CastEnd, CastListener, CastWriter } from '#core/ports/casts.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { PtySize } from '#core/ports/ssh.ts';
import type { Thread } from '../threads/threads.ts';
import { type BufferPool, CastBatch, MAX_EVENT_BYTES } from './batch.ts';
import type { SpooledCast } from './store/cast-store.ts';
import type { CastState, WritingVerbs } from './verbs.ts';

const FLUSH_MS = 100; // the most output lost when the gateway is killed
const MARKS = { high_bytes: 8 * 1024 * 1024, low_bytes: 2 * 1024 * 1024 };

export interface FileCastDeps {
  readonly id: number;
  readonly thread: Thread<WritingVerbs>;
  readonly clock: Clock;
  readonly buffers: BufferPool;
  readonly listener: CastListener;
  readonly started_at: Date;
  /** Offset of the first output that it is given. */
  readonly offset: number;
  /** The state right after opening. */
  readonly end: CastEnd;
  /** When it goes into a store later. */
  readonly spooled: SpooledCast | undefined;
  /** Reads the final state from the file when the thread has died. */
  salvage(): Promise<CastEnd>;
}

/** A recording in progress: copies output into batches and passes them to the thread. */
export class FileCast implements CastWriter {
  readonly #deps: FileCastDeps;
  readonly #batch: CastBatch;
  readonly #ended: Promise<CastEnd>;
  #resolve: (end: CastEnd) => void = () => {};
  readonly #release: () => void;
  #end: CastEnd;
  /** True until it is closed or stopped. */
  #is_accepting = true;
  #is_over = false;
  #cancelFlush: (() => void) | undefined;
  #pending_bytes = 0;
  #is_congested = false;
  /** On the monotonic clock. */
  readonly #begun_ms: number;
  /** Time of the latest event, from the start of the recording. */
  #latest_ms: number;
  /** Everything before it has been written, or is held back. */
  #offset: number;

  constructor(deps: FileCastDeps) {
    this.#deps = deps;
    this.#batch = new CastBatch(deps.buffers);
    this.#end = deps.end;
    this.#latest_ms = deps.end.duration_s * 1000;
    this.#offset = deps.offset;
    const since_start_ms = deps.clock.now().getTime() - deps.started_at.getTime(); // opening the file took time
    this.#begun_ms = deps.clock.elapsed_ms() - Math.max(0, since_start_ms);
    this.#ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#release = deps.thread.hold((cause) => this.#fail(cause));
  }

  output(bytes: Uint8Array, at_ms?: number): void {
    if (!this.#is_accepting || bytes.length === 0) return;
    this.#put(this.#timeOf(at_ms), bytes);
    this.#updateFlow();
  }

  resize(size: PtySize, at_ms?: number): void {
    if (!this.#is_accepting) return;
    this.#batch.resize(this.#timeOf(at_ms), size);
    this.#flushSoon();
  }

  async abandon(): Promise<void> {
    if (!this.#is_accepting) return;
    this.#is_accepting = false;
    this.#flush();
    await this.#deps.thread.call('abandon', { id: this.#deps.id }).catch(() => undefined); // it has stopped
    if (!this.#is_over) this.#stopAccepting();
  }

  close(): Promise<CastEnd> {
    if (!this.#is_accepting) return this.#ended;
    this.#is_accepting = false;
    this.#flush();
    const closed = this.#deps.thread.call('close', { id: this.#deps.id });
    closed.then(
      (state) => this.#finish(state),
      (cause) => this.#fail(cause),
    );
    return this.#ended;
  }

  #put(at_ms: number, bytes: Uint8Array): void {
    this.#pending_bytes += bytes.length;
    for (let at = 0; at < bytes.length; at += MAX_EVENT_BYTES) {
      const piece = bytes.length <= MAX_EVENT_BYTES ? bytes : bytes.subarray(at, at + MAX_EVENT_BYTES);
      if (!this.#batch.hasRoomFor(piece.length)) this.#flush();
      this.#batch.output(at_ms, piece);
    }
    this.#flushSoon();
  }

  #flushSoon(): void {
    this.#cancelFlush ??= this.#deps.clock.after(FLUSH_MS, () => this.#flush());
  }

  #flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    if (this.#batch.is_empty) return;
    const { thread, id, buffers: spare } = this.#deps;
    const { buffer, events, bytes } = this.#batch.take();
    const is_full = this.#deps.spooled?.hasRoom(bytes) === false;
    thread.call('write', { id, events, buffer, is_full }, [buffer]).then(
      ({ buffer, ...state }) => {
        spare.release(buffer);
        this.#written(state, bytes);
      },
      (cause) => this.#fail(cause),
    );
  }

  #written(state: CastState, bytes: number): void {
    this.#end = state.end;
    this.#deps.spooled?.grow(state.end.size_bytes);
    this.#pending_bytes -= bytes;
    this.#offset += bytes;
    if (this.#is_over) return;
    const { held_bytes, end } = state;
    this.#deps.listener.written?.({ offset: this.#offset - held_bytes, size_bytes: end.size_bytes });
    if (state.stopped) this.#finish(state);
    else this.#updateFlow();
  }

  #updateFlow(): void {
    if (this.#is_over) return;
    const flow = flowFor(this.#pending_bytes, this.#is_congested, MARKS);
    if (flow === 'keep') return;
    this.#is_congested = flow === 'pause';
    this.#deps.listener.congested(this.#is_congested);
  }

  /** Never before the latest event. */
  #timeOf(at_ms = this.#deps.clock.elapsed_ms()): number {
    this.#latest_ms = Math.max(this.#latest_ms, Math.round(at_ms - this.#begun_ms));
    return this.#latest_ms;
  }

  #fail(cause: unknown): void {
    if (this.#is_over) return;
    this.#stopAccepting();
    const reason = cause instanceof Error ? cause.message : String(cause);
    const tell = (end: CastEnd) => this.#report({ end, stopped: 'failed', reason, held_bytes: 0 });
    this.#deps.salvage().then(tell, () => tell(this.#end));
  }

  #finish(state: CastState): void {
    if (this.#is_over) return;
    this.#stopAccepting();
    this.#report(state);
  }

  #stopAccepting(): void {
    this.#is_over = true;
    this.#is_accepting = false;
    this.#cancelFlush?.();
    this.#release();
    if (this.#is_congested) this.#deps.listener.congested(false);
  }

  #report({ end, stopped, reason }: CastState): void {
    this.#deps.spooled?.grow(end.size_bytes);
    this.#deps.spooled?.closed();
    if (stopped) this.#deps.listener.stopped(stopped, end, reason);
    this.#resolve(end);
  }
}
