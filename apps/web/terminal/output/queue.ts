import { Backlog } from './backlog.ts';
import { cutOff, fromLineStart, resync } from './cut.ts';

const SLICE_BYTES = 32 * 1024;
const IN_TERMINAL_BYTES = 96 * 1024; // some ten milliseconds of parsing: an interrupt waits no longer than that
const WORTH_CUTTING_BYTES = 64 * 1024; // less than this is shown sooner than anybody notices
const CUTTING_MS = 500; // what was on its way when somebody interrupted is as old as what was here
const HIDDEN_BYTES = 2 * 1024 * 1024;

export interface Sink {
  write(bytes: Uint8Array, parsed: () => void): void;
  /** A full-screen program draws: nothing of it may be left out. */
  isAlternate(): boolean;
}

interface Options {
  readonly sink: Sink;
  /** So many more bytes are dealt with. */
  readonly parsed: (bytes: number) => void;
  /** Something was left out while it was hidden. */
  readonly onTorn: () => void;
}

/** Output on its way to a terminal, given to it in slices, so that it can still be thought better of. */
export class OutputQueue {
  readonly #options: Options;
  readonly #backlog = new Backlog();
  #in_terminal = 0;
  #is_shown = true;
  #is_torn = false;
  #cuts_until = 0;
  // Of all that ever came
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
    if (this.#is_shown) {
      if (performance.now() < this.#cuts_until) this.#cut();
      this.#pump();
    } else {
      this.#trim();
      this.settle();
    }
  }

  /** Somebody wants what runs to stop: what has not been shown yet is not worth waiting for. */
  interrupt(): void {
    if (!this.#is_shown) return;
    this.#cuts_until = performance.now() + CUTTING_MS;
    this.#cut();
    this.#pump();
  }

  /** What is hidden costs no drawing: it is kept, the newest of it, and shown later. */
  setShown(is_shown: boolean): void {
    this.#is_shown = is_shown;
    if (!is_shown) {
      this.settle();
      return;
    }
    if (this.#is_torn) this.#options.sink.write(resync(), this.#options.onTorn);
    this.#is_torn = false;
    this.#pump();
  }

  /** All that came counts as parsed, for whoever sent it. */
  settle(): void {
    this.#tell(this.#received);
  }

  #tell(upto: number): void {
    if (upto <= this.#told) return;
    const more = upto - this.#told;
    this.#told = upto;
    this.#options.parsed(more);
  }

  #pump(): void {
    while (this.#is_shown && this.#in_terminal < IN_TERMINAL_BYTES) {
      const slice = this.#backlog.take(SLICE_BYTES);
      if (!slice) return;
      this.#in_terminal += slice.length;
      this.#options.sink.write(slice, () => this.#parsed(slice.length));
    }
  }

  #parsed(bytes: number): void {
    this.#in_terminal -= bytes;
    this.#done += bytes;
    this.#tell(this.#done);
    this.#pump();
  }

  #cut(): void {
    const { sink } = this.#options;
    if (this.#backlog.size < WORTH_CUTTING_BYTES || sink.isAlternate()) return;
    const { bridge, rest } = cutOff(this.#backlog.all());
    sink.write(bridge, () => {});
    this.#done += this.#backlog.keep(rest);
    this.#tell(this.#done);
  }

  /** Half of it at once, since it is not done for each piece; then the rest of a line. */
  #trim(): void {
    if (this.#backlog.size <= HIDDEN_BYTES) return;
    this.#is_torn = true;
    const all = this.#backlog.all();
    this.#done += this.#backlog.keep(fromLineStart(all.subarray(all.length - HIDDEN_BYTES / 2)));
  }
}
