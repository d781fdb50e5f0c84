import { Backlog } from './backlog.ts';
import { cutOff, fromLineStart, resync } from './cut.ts';

const SLICE_BYTES = 4 * 1024; // the terminal handles keys between slices, and line feeds cost most
const IN_TERMINAL_BYTES = 2 * SLICE_BYTES; // cannot be dropped; a parsed slice is replaced at once, so more would not be faster
const WORTH_CUTTING_BYTES = 32 * 1024; // less than this is drawn faster than anyone notices
const CUTTING_MS = 1000; // output in flight during an interrupt is as stale as queued output
const QUIET_MS = 40; // the flood has ended: what follows the interrupt has arrived
const HIDDEN_BYTES = 2 * 1024 * 1024;

export interface Sink {
  write(bytes: Uint8Array, parsed: () => void): void;
  /** A full-screen program is running, so no output may be dropped. */
  isAlternate(): boolean;
}

interface Options {
  readonly sink: Sink;
  /** This many more bytes have been processed. */
  readonly parsed: (bytes: number) => void;
  /** Output was dropped while the terminal was hidden. */
  readonly onTorn: () => void;
}

/** Queues output and feeds it to the terminal in slices, so that an interrupt can drop the rest. */
export class OutputQueue {
  readonly #options: Options;
  readonly #backlog = new Backlog();
  #in_terminal = 0;
  #is_shown = true;
  #is_torn = false;
  #cuts_until = 0;
  #since_interrupt = 0;
  #holding: ReturnType<typeof setTimeout> | undefined;
  #awaited: { readonly upto: number; readonly drawn: () => void } | undefined;
  // Bytes since the start
  #received = 0;
  #done = 0;
  #told = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#backlog.push(bytes);
    this.#received += bytes.length;
    this.#since_interrupt += bytes.length;
    if (!this.#is_shown) {
      this.#trim();
      this.settle();
    } else if (this.#isFloodOver()) this.#pump();
    else this.#hold();
  }

  /** The user interrupted the program: drop the output that has not been drawn yet, and what of it is in transit. */
  interrupt(): void {
    if (!this.#is_shown) return;
    this.#cuts_until = performance.now() + CUTTING_MS;
    this.#since_interrupt = this.pending();
    if (!this.#isFloodOver()) this.#hold();
  }

  /** The user has entered a command: its output is not dropped. */
  entered(): void {
    if (this.#holding) this.#cut();
    this.#cuts_until = 0;
    this.#release();
    this.#pump();
  }

  /** A hidden terminal is not drawn: the newest output is kept and drawn later. */
  setShown(is_shown: boolean): void {
    this.#is_shown = is_shown;
    this.#release();
    if (!is_shown) {
      this.settle();
      return;
    }
    if (this.#is_torn) this.#options.sink.write(resync(), this.#options.onTorn);
    this.#is_torn = false;
    this.#pump();
  }

  /** Output that has not been drawn yet. */
  pending(): number {
    return this.#received - this.#done;
  }

  /** Calls back once all output so far, and this much of what follows, has been drawn or dropped. Replaces an earlier call. */
  whenDrawn(drawn: () => void, more = 0): void {
    this.#awaited = { upto: this.#received + more, drawn };
    this.#settleAwaited();
  }

  /** Dropped bytes count as parsed, so the sender gets its acknowledgement. */
  settle(): void {
    this.#tell(this.#received);
  }

  #isFloodOver(): boolean {
    const is_late = performance.now() >= this.#cuts_until;
    return is_late || this.#since_interrupt < WORTH_CUTTING_BYTES || this.#options.sink.isAlternate();
  }

  /** Draws nothing until the rest of the flood has arrived, which the sender only sends if this is acknowledged. */
  #hold(): void {
    this.#release();
    if (this.#backlog.size > HIDDEN_BYTES) this.#cut();
    this.settle();
    const most_ms = this.#cuts_until - performance.now();
    this.#holding = setTimeout(
      () => {
        this.#release();
        this.#cut();
        this.#pump();
      },
      Math.min(QUIET_MS, most_ms),
    );
  }

  #release(): void {
    clearTimeout(this.#holding);
    this.#holding = undefined;
  }

  #tell(upto: number): void {
    if (upto <= this.#told) return;
    const more = upto - this.#told;
    this.#told = upto;
    this.#options.parsed(more);
  }

  #pump(): void {
    while (this.#is_shown && !this.#holding && this.#in_terminal < IN_TERMINAL_BYTES) {
      const slice = this.#backlog.take(SLICE_BYTES);
      if (!slice) return;
      this.#in_terminal += slice.length;
      this.#options.sink.write(slice, () => this.#parsed(slice.length));
    }
  }

  #settleAwaited(): void {
    const awaited = this.#awaited;
    if (!awaited || this.#done < awaited.upto) return;
    this.#awaited = undefined;
    awaited.drawn();
  }

  #parsed(bytes: number): void {
    this.#in_terminal -= bytes;
    this.#done += bytes;
    this.#settleAwaited();
    this.#tell(this.#done);
    this.#pump();
  }

  #cut(): void {
    const { sink } = this.#options;
    if (this.#backlog.size < WORTH_CUTTING_BYTES || sink.isAlternate()) return;
    const { bridge, rest } = cutOff(this.#backlog.all());
    sink.write(bridge, () => {});
    this.#done += this.#backlog.keep(rest);
    this.#settleAwaited();
    this.#tell(this.#done);
  }

  /** Drops half at a time rather than a little per chunk, then up to the end of the line. */
  #trim(): void {
    if (this.#backlog.size <= HIDDEN_BYTES) return;
    this.#is_torn = true;
    const all = this.#backlog.all();
    this.#done += this.#backlog.keep(fromLineStart(all.subarray(all.length - HIDDEN_BYTES / 2)));
  }
}
