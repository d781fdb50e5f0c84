import { Fault } from '../../errors.ts';
import type { History } from './history.ts';
import type { MemberSocket, SessionEnd } from './member-socket.ts';

export const MAX_UNPARSED_BYTES = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
// Bounds the memory that a peer which reads nothing can use.
const MAX_UNSENT_BYTES = 256 * 1024;

/** The output of a session to one socket: what has been sent, what its terminal has parsed, and what is still to come. */
export interface OutputFlow {
  /** Counts output from this offset on as lag, but sends nothing yet. */
  reserve(offset: number): void;
  /** Sends output from this offset on. */
  start(offset: number): void;
  /** Sends a screen snapshot, which is not counted in offsets. */
  show(screen: Uint8Array): void;
  /** Stops sending output until the next `start`. */
  hold(): void;
  /** The history has grown. */
  push(): void;
  /** Throws `bad_frame` for bytes that were never sent. */
  ack(bytes: number): void;
  /** While true, bytes count as parsed once the network has taken them. */
  ignoreAcks(is_ignored: boolean): void;
  /** Bytes that the terminal has not parsed, including those not sent yet. */
  unparsed(): number;
  /** Bytes that the network has not taken yet. */
  unsent(): number;
  /** Bytes of the history not sent yet. */
  lag(): number;
  /** Sends the remaining output, then the end. */
  end(end: SessionEnd): void;
  /** Whether the end has been sent. */
  hasEnded(): boolean;
  /** Sends nothing more. */
  close(): void;
}

export interface OutputFlowDeps {
  readonly socket: MemberSocket;
  readonly history: History;
  /** The peer has taken or parsed more bytes. */
  readonly progressed: () => void;
  /** Runs after the current task, so that what one read of the host returns leaves in one frame. */
  readonly defer: (run: () => void) => void;
}

export function createOutputFlow(deps: OutputFlowDeps): OutputFlow {
  return new CountingFlow(deps);
}

class CountingFlow implements OutputFlow {
  readonly #deps: OutputFlowDeps;
  readonly #socket: MemberSocket;
  readonly #history: History;
  #is_deferred = false;
  #cursor: number | undefined;
  #is_started = false;
  #screen: Uint8Array = new Uint8Array(0); // the part not sent yet
  #sent = 0;
  #acked: number | undefined; // undefined: the client does not ack
  #unsent = 0;
  #ignores_acks = false;
  #ending: SessionEnd | undefined;
  #state: 'open' | 'ended' | 'closed' = 'open';

  constructor(deps: OutputFlowDeps) {
    this.#deps = deps;
    this.#socket = deps.socket;
    this.#history = deps.history;
  }

  reserve(offset: number): void {
    this.#cursor = offset;
    this.#is_started = false;
  }

  start(offset: number): void {
    this.#cursor = offset;
    this.#is_started = true;
    this.#pump();
  }

  show(screen: Uint8Array): void {
    this.#screen = screen;
    this.#pump();
  }

  hold(): void {
    this.#cursor = undefined;
    this.#is_started = false;
  }

  push(): void {
    if (this.#is_deferred || this.#state !== 'open' || !this.#is_started) return;
    this.#is_deferred = true;
    this.#deps.defer(() => {
      this.#is_deferred = false;
      this.#pump();
    });
  }

  ack(bytes: number): void {
    if (bytes > this.#sent) throw new Fault('bad_frame', 'More bytes than were sent');
    this.#acked = Math.max(bytes, this.#acked ?? 0);
    this.#advance();
  }

  ignoreAcks(is_ignored: boolean): void {
    this.#ignores_acks = is_ignored;
    this.#advance();
  }

  unparsed(): number {
    return this.#outstanding() + this.#screen.length + this.lag();
  }

  unsent(): number {
    return this.#unsent;
  }

  lag(): number {
    return this.#cursor === undefined ? 0 : this.#history.end() - this.#cursor;
  }

  end(end: SessionEnd): void {
    this.#ending = end;
    this.#pump();
  }

  hasEnded(): boolean {
    return this.#state === 'ended';
  }

  close(): void {
    this.#state = 'closed';
  }

  #outstanding(): number {
    return this.#acked === undefined || this.#ignores_acks ? this.#unsent : this.#sent - this.#acked;
  }

  #room(): number {
    return Math.min(MAX_UNPARSED_BYTES - this.#outstanding(), MAX_UNSENT_BYTES - this.#unsent);
  }

  #send(bytes: Uint8Array): void {
    this.#sent += bytes.length;
    this.#unsent += bytes.length;
    this.#socket.output(bytes, () => {
      this.#unsent -= bytes.length;
      this.#advance();
    });
  }

  #pumpScreen(): void {
    while (this.#screen.length > 0 && this.#room() > 0) {
      const piece = this.#screen.subarray(0, Math.min(PIECE_BYTES, this.#room()));
      this.#screen = this.#screen.subarray(piece.length);
      this.#send(piece);
    }
  }

  #advance(): void {
    if (this.#state === 'closed') return;
    this.#pump();
    this.#deps.progressed();
  }

  #pump(): void {
    if (this.#state !== 'open') return;
    this.#pumpScreen();
    if (this.#screen.length > 0 || !this.#is_started || this.#cursor === undefined) return;
    while (this.lag() > 0 && this.#room() > 0) {
      const from: number = Math.max(this.#cursor, this.#history.start());
      const until = Math.min(this.#history.end(), from + Math.min(PIECE_BYTES, this.#room()));
      this.#cursor = until;
      this.#send(this.#history.slice(from, until));
    }
    if (!this.#ending || this.lag() > 0) return;
    this.#state = 'ended';
    this.#socket.ended(this.#ending);
  }
}
