import { createRing } from '#core/lib/bytes/ring.ts';
import { flowFor } from '#core/lib/bytes/watermark.ts';
import type { CastPosition, KeptNote } from '#core/ports/keeping.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { PtySize, Shell, ShellEnd } from '#core/ports/ssh.ts';
import { BadFrame, encodeAck, encodeFrame, FRAME_KINDS, MAX_DATA_BYTES } from './frames.ts';
import { type Adopted, encodeMessage, toWireFault } from './messages.ts';
import { createOutputMarks, createSizeMarks, type SizeMarks } from './output-marks.ts';
import { ACK_INPUT_EVERY_BYTES, INPUT_WINDOW_BYTES, OUTPUT_WINDOW_BYTES } from './windows.ts';

// The MiB that a terminal can resume, what is on its way to the gateway, and one more packet of the host.
const KEPT_BYTES = 1024 * 1024 + OUTPUT_WINDOW_BYTES + 128 * 1024;
const OUTPUT_MARKS = { high_bytes: OUTPUT_WINDOW_BYTES - 1, low_bytes: OUTPUT_WINDOW_BYTES / 2 };
const UNRECORDED_MARKS = { high_bytes: 1024 * 1024, low_bytes: 512 * 1024 };
const RECORDING_KEPT_MS = 24 * 60 * 60_000;

/** The connection of a gateway, as a shell uses it. */
export interface Holder {
  send(frame: Buffer): void;
}

interface Deps {
  readonly id: number;
  readonly shell: Shell;
  readonly size: PtySize;
  readonly clock: Clock;
  /** Nobody needs it any more. */
  readonly onForgotten: () => void;
}

/** A shell with its latest output. It belongs to one gateway at a time, or to none. */
export class KeptShell {
  readonly id: number;
  readonly #deps: Deps;
  readonly #ring = createRing(KEPT_BYTES);
  readonly #times = createOutputMarks();
  readonly #sizes: SizeMarks;
  #holder: Holder | undefined;
  #sent = 0;
  #acked = 0;
  #unacked_input = 0;
  #is_input_full = false;
  #is_paused = false;
  #note: KeptNote | undefined;
  #recorded: CastPosition | undefined;
  #end: ShellEnd | undefined;
  #is_end_sent = false;
  #unheld_since_ms = 0;
  #cancelExpiry = () => {};

  constructor(deps: Deps, holder: Holder) {
    this.id = deps.id;
    this.#deps = deps;
    this.#holder = holder;
    this.#sizes = createSizeMarks(deps.size, deps.clock.elapsed_ms());
  }

  /** Call it after the gateway knows the shell. */
  start(): void {
    this.#deps.shell.start({
      data: (bytes) => this.#output(bytes),
      drain: () => this.#inputTaken(),
      end: (end) => {
        this.#end = end;
        this.#send();
      },
    });
  }

  isHeldBy(holder: Holder | undefined): boolean {
    return this.#holder === holder;
  }

  note(note: KeptNote): void {
    this.#note = note;
    this.#updateFlow();
  }

  recorded(position: CastPosition): void {
    this.#recorded = position;
    this.#times.dropBefore(position.offset);
    this.#updateFlow();
  }

  input(bytes: Buffer): void {
    this.#unacked_input += bytes.length;
    if (this.#unacked_input > INPUT_WINDOW_BYTES + MAX_DATA_BYTES)
      throw new BadFrame('The gateway sends more input than it may');
    if (!this.#deps.shell.write(bytes)) this.#is_input_full = true;
    if (!this.#is_input_full) this.#ackInput(ACK_INPUT_EVERY_BYTES);
  }

  resize(size: PtySize): void {
    this.#sizes.add(size, { offset: this.#ring.end(), at_ms: this.#deps.clock.elapsed_ms() });
    this.#deps.shell.resize(size);
  }

  ack(bytes: number): void {
    if (this.#acked + bytes > this.#sent)
      throw new BadFrame('The gateway acknowledges output that was never sent');
    this.#acked += bytes;
    this.#send();
  }

  close(): void {
    this.#deps.shell.close();
  }

  /** Ends a shell that the gateway has given up. */
  forget(): void {
    this.#cancelExpiry();
    this.close();
    this.#deps.onForgotten();
  }

  /** The gateway is gone, or has let go. Returns whether another one can continue. */
  release(): boolean {
    this.#holder = undefined;
    if (this.#note === undefined) {
      this.forget();
      return false;
    }
    const { clock } = this.#deps;
    this.#unheld_since_ms = clock.elapsed_ms();
    this.#unacked_input = 0;
    this.#cancelExpiry = clock.after(this.#note.keep_ms, () => this.#expire());
    this.#updateFlow();
    return true;
  }

  /** Makes it the gateway's; what is kept follows as output. */
  adopt(holder: Holder): Adopted | undefined {
    if (this.#holder || this.#note === undefined) return undefined;
    this.#cancelExpiry();
    this.#holder = holder;
    this.#sent = this.#ring.start();
    this.#acked = this.#sent;
    this.#is_end_sent = false;
    const now_ms = this.#deps.clock.elapsed_ms();
    const aged = <T extends { readonly at_ms: number }>({ at_ms, ...mark }: T) => ({
      ...mark,
      age_ms: now_ms - at_ms,
    });
    return {
      about: this.#note.about,
      start: this.#ring.start(),
      end: this.#ring.end(),
      sizes: this.#sizes.list(this.#ring.start()).map(aged),
      times: this.#times.list().map(aged),
      ...(this.#recorded && { recorded: this.#recorded }),
      unheld_ms: now_ms - this.#unheld_since_ms,
    };
  }

  /** Sends what is kept; call it after `adopt` has been answered. */
  resume(): void {
    this.#ackInput(0);
    this.#send();
  }

  #output(bytes: Uint8Array): void {
    if (this.#note?.is_recorded !== false) this.#times.add(this.#ring.end(), this.#deps.clock.elapsed_ms());
    const is_current = this.#sent === this.#ring.end();
    this.#ring.append(bytes);
    if (is_current && this.#holder && bytes.length <= MAX_DATA_BYTES && this.#room() >= bytes.length)
      this.#sendData(bytes); // without a copy from the ring
    else this.#send();
    this.#updateFlow();
  }

  #room(): number {
    return OUTPUT_WINDOW_BYTES - (this.#sent - this.#acked);
  }

  #sendData(bytes: Uint8Array): void {
    this.#sent += bytes.length;
    this.#holder?.send(encodeFrame(FRAME_KINDS.data, this.id, bytes));
  }

  #send(): void {
    if (!this.#holder) return;
    for (;;) {
      const bytes = Math.min(this.#ring.end() - this.#sent, this.#room(), MAX_DATA_BYTES);
      if (bytes <= 0) break;
      this.#sendData(this.#ring.slice(this.#sent, this.#sent + bytes));
    }
    if (this.#end && !this.#is_end_sent && this.#sent === this.#ring.end()) this.#sendEnd(this.#end);
    this.#updateFlow();
  }

  #sendEnd(end: ShellEnd): void {
    this.#is_end_sent = true;
    const wire = end.kind === 'lost' ? { kind: end.kind, fault: toWireFault(end.fault) } : end;
    this.#holder?.send(encodeMessage(this.id, { say: 'ended', end: wire }));
  }

  /** A gateway that is slow, or a recording that is not written, pauses the shell; nobody at all does not. */
  #updateFlow(): void {
    const unacked = this.#holder ? this.#ring.end() - this.#acked : 0;
    const unrecorded = this.#note?.is_recorded ? this.#ring.end() - (this.#recorded?.offset ?? 0) : 0;
    const flows = [
      flowFor(unacked, this.#is_paused, OUTPUT_MARKS),
      flowFor(unrecorded, this.#is_paused, UNRECORDED_MARKS),
    ];
    if (!this.#is_paused && flows.includes('pause')) {
      this.#is_paused = true;
      this.#deps.shell.pause();
    } else if (this.#is_paused && flows.every((flow) => flow === 'resume')) {
      this.#is_paused = false;
      this.#deps.shell.resume();
    }
  }

  #inputTaken(): void {
    this.#is_input_full = false;
    this.#ackInput(ACK_INPUT_EVERY_BYTES);
  }

  #ackInput(from_bytes: number): void {
    if (this.#unacked_input < Math.max(1, from_bytes)) return;
    const bytes = this.#unacked_input;
    this.#unacked_input = 0;
    this.#holder?.send(encodeAck(this.id, bytes));
  }

  #expire(): void {
    this.close();
    const has_all = !this.#note?.is_recorded || this.#recorded?.offset === this.#ring.end();
    if (has_all) this.forget();
    else this.#cancelExpiry = this.#deps.clock.after(RECORDING_KEPT_MS, () => this.forget());
  }
}
