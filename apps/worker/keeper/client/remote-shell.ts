import type { Fault } from '#core/errors.ts';
import { createRing } from '#core/lib/bytes/ring.ts';
import type { CastPosition, KeptNote, ShellKeeping } from '#core/ports/keeping.ts';
import type { PtySize, Shell, ShellEnd, ShellListener } from '#core/ports/ssh.ts';
import { encodeAck, encodeFrame, FRAME_KINDS, MAX_DATA_BYTES } from '../frames.ts';
import { encodeMessage, type Order } from '../messages.ts';
import { ACK_OUTPUT_EVERY_BYTES, OUTPUT_WINDOW_BYTES } from '../windows.ts';
import { createRemoteInput, type RemoteInput } from './remote-input.ts';

/** What a shell in a keeper needs of the connection to it. */
export interface ShellLine {
  send(frame: Buffer): void;
  /** The shell takes no further frames. */
  left(id: number): void;
}

/** A shell in a keeper, as the gateway uses it. Not acknowledging output pauses it. */
export class RemoteShell implements Shell {
  readonly id: number;
  readonly #line: ShellLine;
  /** Output that arrived while paused; bounded by the keeper's window. */
  readonly #waiting = createRing(OUTPUT_WINDOW_BYTES + MAX_DATA_BYTES);
  #taken = 0;
  #unacked = 0;
  readonly #input: RemoteInput;
  #is_paused = true;
  #listener: ShellListener | undefined;
  #end: ShellEnd | undefined;
  #is_over = false;
  readonly keeping: ShellKeeping;

  constructor(id: number, line: ShellLine) {
    this.id = id;
    this.#line = line;
    this.#input = createRemoteInput((bytes) => line.send(encodeFrame(FRAME_KINDS.data, id, bytes)));
    this.keeping = {
      note: ({ about, keep_ms, is_recorded }: KeptNote) =>
        this.#tell({ say: 'note', about, keep_ms, is_recorded }),
      recorded: ({ offset, size_bytes }: CastPosition) => this.#tell({ say: 'recorded', offset, size_bytes }),
      forget: () => this.#leave({ say: 'forget' }),
      release: () => this.#leave({ say: 'release' }),
    };
  }

  start(listener: ShellListener): void {
    this.#listener = listener;
    this.#is_paused = false;
    queueMicrotask(() => this.#deliver()); // the session is not registered yet
  }

  write(bytes: Uint8Array): boolean {
    return this.#input.write(bytes);
  }

  resize({ cols, rows }: PtySize): void {
    this.#tell({ say: 'resize', cols, rows });
  }

  pause(): void {
    this.#is_paused = true;
  }

  resume(): void {
    this.#is_paused = false;
    this.#deliver();
  }

  close(): void {
    this.#tell({ say: 'close' });
    this.#over({ kind: 'exit', code: null, signal: null });
  }

  /** Everything waits for the next `start`. */
  park(): void {
    this.#listener = undefined;
    this.#is_paused = true;
  }

  /** From the keeper. */
  received(bytes: Buffer): void {
    if (this.#is_over) return;
    if (this.#is_paused || this.#taken < this.#waiting.end()) {
      this.#waiting.append(bytes);
      return;
    }
    this.#take(bytes);
  }

  /** The keeper's host has taken input. */
  inputTaken(bytes: number): void {
    if (this.#input.taken(bytes) && !this.#is_over) this.#listener?.drain();
  }

  /** Comes after the last output. */
  ended(end: ShellEnd): void {
    this.#end ??= end;
    this.#deliver();
  }

  /** The keeper is gone, and the shell with it. */
  lost(fault: Fault): void {
    this.#is_paused = false;
    this.#end ??= { kind: 'lost', fault };
    this.#deliver();
  }

  #deliver(): void {
    while (this.#listener && !this.#is_paused && !this.#is_over && this.#taken < this.#waiting.end()) {
      const from = this.#taken;
      this.#taken = Math.min(this.#waiting.end(), from + MAX_DATA_BYTES);
      this.#take(this.#waiting.slice(from, this.#taken));
    }
    if (this.#end && this.#listener && !this.#is_paused) this.#over(this.#end);
  }

  #take(bytes: Uint8Array): void {
    this.#unacked += bytes.length;
    if (this.#unacked >= ACK_OUTPUT_EVERY_BYTES) {
      this.#line.send(encodeAck(this.id, this.#unacked));
      this.#unacked = 0;
    }
    this.#listener?.data(bytes);
  }

  #over(end: ShellEnd): void {
    if (this.#is_over) return;
    this.#is_over = true;
    this.#input.stop();
    this.#listener?.end(end);
  }

  #leave(order: Order): void {
    this.#is_over = true;
    this.#input.stop();
    this.#tell(order);
    this.#line.left(this.id);
  }

  #tell(order: Order): void {
    this.#line.send(encodeMessage(this.id, order));
  }
}
