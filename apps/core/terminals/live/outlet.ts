import { Fault } from '../../errors.ts';
import type { History } from './history.ts';
import type { Attendee, SessionEnd } from './participant.ts';

export const MAX_UNPARSED_BYTES = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
// What has not left the process: a peer that reads nothing must not cost more than memory for this.
const MAX_UNSENT_BYTES = 256 * 1024;

/** One socket's way through a session's output: where it is, how far its terminal has come, and what it still lacks. */
export interface Outlet {
  /** Counts what comes from here on as lacking, and sends nothing yet. */
  reserve(offset: number): void;
  /** From here on it is sent what comes. */
  start(offset: number): void;
  /** Something that belongs to no offset. */
  show(screen: Uint8Array): void;
  /** What comes is not for it any more, until the next `start`. */
  hold(): void;
  /** More lies in the history. */
  push(): void;
  /** `bad_frame` when that was never sent. */
  ack(bytes: number): void;
  /** No ack can come now: what the network has taken counts as parsed. */
  deafen(is_deaf: boolean): void;
  /** Bytes that its terminal has not parsed, those that were not sent among them. */
  unparsed(): number;
  /** Bytes that the network has not taken. */
  unsent(): number;
  /** Bytes of the history that it was not sent. */
  lag(): number;
  /** Sends what is left, then tells. */
  end(end: SessionEnd): void;
  /** Whether it has been told. */
  hasEnded(): boolean;
  /** Nothing is sent any more. */
  close(): void;
}

export interface OutletDeps {
  readonly attendee: Attendee;
  readonly history: History;
  /** Its peer has come further. */
  readonly moved: () => void;
  /** Runs at the end of what is being done now: what comes in one read of a host leaves in one frame. */
  readonly defer: (run: () => void) => void;
}

export function createOutlet(deps: OutletDeps): Outlet {
  return new CountingOutlet(deps);
}

class CountingOutlet implements Outlet {
  readonly #deps: OutletDeps;
  readonly #attendee: Attendee;
  readonly #history: History;
  #is_deferred = false;
  #cursor: number | undefined;
  #is_started = false;
  #screen: Uint8Array = new Uint8Array(0); // what is still to be sent of it
  #sent = 0;
  #acked: number | undefined; // undefined: a client that says nothing of it
  #unsent = 0;
  #is_deaf = false;
  #ending: SessionEnd | undefined;
  #state: 'open' | 'ended' | 'closed' = 'open';

  constructor(deps: OutletDeps) {
    this.#deps = deps;
    this.#attendee = deps.attendee;
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

  deafen(is_deaf: boolean): void {
    this.#is_deaf = is_deaf;
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
    return this.#acked === undefined || this.#is_deaf ? this.#unsent : this.#sent - this.#acked;
  }

  #room(): number {
    return Math.min(MAX_UNPARSED_BYTES - this.#outstanding(), MAX_UNSENT_BYTES - this.#unsent);
  }

  #send(bytes: Uint8Array): void {
    this.#sent += bytes.length;
    this.#unsent += bytes.length;
    this.#attendee.output(bytes, () => {
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
    this.#deps.moved();
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
    this.#attendee.ended(this.#ending);
  }
}
