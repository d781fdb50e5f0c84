import { type Road, resumeRoad, roadOf, type TerminalSize } from './terminal-aim.ts';
import { type Acks, createAcks, createOffsets } from './terminal-counts.ts';
import {
  type Ending,
  type ErrorFrame,
  type ExitFrame,
  type GatewayFrame,
  type LinkError,
  type Outcome,
  outcomeOf,
  outcomeOfRefusal,
  type PromptFrame,
} from './terminal-ending.ts';
import type { LinkOptions } from './terminal-events.ts';
import { createKeptInput, framesOf } from './terminal-input.ts';
import { createPulse, type Pulse } from './terminal-pulse.ts';
import { createRetries, type Retries } from './terminal-retries.ts';
import { openTerminalSocket, type TerminalSocket } from './terminal-socket.ts';

const CLOSED_BY_PERSON = 1000; // ends the shell
const LEFT = 3001; // any other code leaves it running
const PATIENCE_ON_RETURN_MS = 4000; // after sleep or another network, most sockets are dead

/** What is known of the session once it is there. */
interface Attendance {
  readonly session_id: string;
  readonly server: string;
  readonly is_owner: boolean;
  readonly may_type: boolean;
}

/** One shell, over one socket after the other: a drop is followed by a resume that misses no byte. */
export class TerminalLink {
  readonly #options: LinkOptions;
  readonly #offsets = createOffsets();
  readonly #kept = createKeptInput();
  readonly #acks: Acks = createAcks((bytes) => this.#send({ type: 'ack', bytes }));
  readonly #retries: Retries = createRetries(() => this.#goBack());
  readonly #pulse: Pulse = createPulse({ ping: () => this.ping(), dead: () => this.#drop(undefined) });
  readonly #stopReturns: () => void;
  #socket: TerminalSocket | undefined;
  #size: TerminalSize | undefined;
  #attendance: Attendance | undefined;
  #takes_input = false;
  #ending: Ending | undefined;
  #is_closed = false;
  #asked = false;
  #exit: ExitFrame | undefined;
  #error: ErrorFrame | undefined;
  #pinged_at: number | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#size = options.size;
    this.#stopReturns = options.onReturn?.(() => this.#returned()) ?? (() => {});
    options.events.state({ kind: 'connecting' });
    this.#connect(roadOf(options.aim, options.size));
  }

  input(data: string | Uint8Array): void {
    if (this.#isOver() || this.#attendance?.may_type === false) return;
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    if (this.#takes_input && this.#socket?.isOpen()) this.#type(bytes);
    else if (!this.#kept.keep(bytes)) this.#options.events.overflow?.();
  }

  resize(size: TerminalSize): void {
    if (size.cols === this.#size?.cols && size.rows === this.#size.rows) return;
    this.#size = size;
    this.#send({ type: 'resize', ...size });
  }

  /** The terminal has worked through this much more output. */
  parsed(bytes: number): void {
    this.#acks.parsed(bytes);
  }

  /** To the prompt that came last, one for each of its questions. */
  answer(answers: readonly string[]): void {
    if (!this.#asked || !this.#socket?.isOpen()) return;
    this.#ask(undefined);
    this.#send({ type: 'answer', answers: [...answers] });
  }

  /** Measures the round trip to the gateway; one at a time. */
  ping(): void {
    if (!this.#attendance || this.#pinged_at !== undefined || !this.#socket?.isOpen()) return;
    this.#pinged_at = performance.now();
    this.#send({ type: 'ping' });
  }

  /** Does not wait for the next attempt any longer; after a take-over, takes the session back. */
  reconnectNow(): void {
    if (this.#ending?.kind === 'taken_over' && !this.#is_closed) {
      this.#ending = undefined;
      this.#goBack();
    } else this.#retries.hurry();
  }

  /** Asks for the present screen, where output was left out. */
  refresh(): void {
    if (!this.#attendance || this.#isOver()) return;
    this.#leave(LEFT);
    this.#offsets.forget();
    this.#goBack();
  }

  /** Ends the shell; no further event comes. */
  close(): void {
    const { client } = this.#options;
    const running = this.#isOver() ? undefined : this.#attendance;
    const is_told = this.#socket?.isOpen() === true;
    this.#quit(CLOSED_BY_PERSON);
    if (!running?.is_owner || is_told) return;
    const params = { path: { session_id: running.session_id } };
    // Without a socket the gateway would keep it for whoever comes back; that fails as the socket did.
    void client.http.DELETE('/api/terminal/sessions/{session_id}', { params }).catch(() => undefined);
  }

  /** Lets the shell run for whoever comes back in time; no further event comes. */
  detach(): void {
    this.#quit(LEFT);
  }

  #quit(code: number): void {
    this.#is_closed = true;
    this.#stopReturns();
    this.#leave(code);
  }

  #isOver(): boolean {
    return this.#is_closed || this.#ending !== undefined;
  }

  #isEstablished(): boolean {
    return this.#attendance !== undefined || this.#options.aim.kind === 'session';
  }

  #connect(road: Road): void {
    const { client, WebSocket } = this.#options;
    this.#exit = this.#error = this.#pinged_at = undefined;
    this.#socket = openTerminalSocket({
      client,
      road,
      WebSocket,
      events: {
        opened: () => this.#opened(road),
        bytes: (bytes) => this.#received(bytes),
        frame: (frame) => {
          this.#pulse.heard();
          this.#obey(frame);
        },
        closed: (code, reason) => this.#closed(code, reason),
        refused: (error) => this.#follow(outcomeOfRefusal(error, this.#isEstablished())),
      },
    });
  }

  /** To the session that was there, or once more to the one that was joined. */
  #goBack(): void {
    const { aim, events } = this.#options;
    const before = this.#attendance;
    const attempt = this.#retries.attempts();
    events.state({ kind: 'reconnecting', attempt, next_at: undefined, error: this.#error });
    this.#connect(
      before?.is_owner
        ? resumeRoad(before.session_id, this.#offsets.present(), this.#size)
        : roadOf(aim, this.#size),
    );
  }

  #opened(road: Road): void {
    if (road.hello) this.#socket?.send(road.hello());
    this.#acks.begin();
    if (road.hello) this.#takeInput(); // a host may ask before there is a shell
    if (this.#size && road.size !== this.#size) this.#send({ type: 'resize', ...this.#size });
  }

  #takeInput(): void {
    this.#takes_input = true;
    for (const bytes of this.#kept.take()) this.#type(bytes);
  }

  #type(bytes: Uint8Array): void {
    for (const frame of framesOf(bytes)) this.#socket?.input(frame);
  }

  #received(bytes: Uint8Array): void {
    this.#pulse.heard();
    this.#offsets.received(bytes.length);
    this.#acks.received(bytes.length);
    this.#options.events.output(bytes);
  }

  #obey(frame: GatewayFrame): void {
    switch (frame.type) {
      case 'session':
        this.#offsets.begin(frame.offset, frame.screen_bytes ?? 0);
        this.#attend(frame, { is_owner: true, may_type: true });
        break;
      case 'joined':
        this.#attend(frame, { is_owner: false, may_type: frame.mode === 'rw' });
        break;
      case 'mode':
        if (this.#attendance) this.#attendance = { ...this.#attendance, may_type: frame.mode === 'rw' };
        this.#options.events.news?.(frame);
        break;
      case 'exit':
        this.#exit = frame;
        break;
      case 'error':
        this.#error = frame;
        break;
      case 'prompt':
        this.#ask(frame);
        break;
      case 'pong':
        this.#ponged();
        break;
      case 'stage':
      case 'size':
      case 'participants':
      case 'recording':
      case 'notice':
        this.#options.events.news?.(frame);
        break;
    }
  }

  #attend(
    frame: Extract<GatewayFrame, { type: 'session' | 'joined' }>,
    rights: Pick<Attendance, 'is_owner' | 'may_type'>,
  ): void {
    const { session_id, server } = frame;
    this.#attendance = { session_id, server, ...rights };
    this.#retries.succeeded();
    this.#pulse.start();
    this.#ask(undefined);
    this.#options.events.news?.(frame);
    this.#options.events.state({ kind: 'open', server, session_id });
    this.#takeInput();
  }

  #ask(prompt: PromptFrame | undefined): void {
    if (!prompt && !this.#asked) return;
    this.#asked = prompt !== undefined;
    this.#options.events.prompt?.(prompt);
  }

  #ponged(): void {
    if (this.#pinged_at === undefined) return;
    this.#options.events.round_trip?.(performance.now() - this.#pinged_at);
    this.#pinged_at = undefined;
  }

  #returned(): void {
    if (!this.#retries.hurry() && this.#socket?.isOpen()) this.#pulse.ask(PATIENCE_ON_RETURN_MS);
  }

  #closed(code: number, reason: string): void {
    const established = this.#isEstablished();
    this.#follow(outcomeOf({ code, reason, established, exit: this.#exit, error: this.#error }));
  }

  #follow(outcome: Outcome): void {
    if (outcome.kind === 'drop') this.#drop(outcome.error);
    else this.#finish(outcome.ending);
  }

  #drop(error: LinkError | undefined): void {
    this.#leave(LEFT);
    const { attempt, next_at } = this.#retries.plan();
    this.#options.events.state({ kind: 'reconnecting', attempt, next_at, error });
  }

  #finish(ending: Ending): void {
    this.#ending = ending;
    this.#leave(LEFT);
    this.#kept.take();
    this.#options.events.state({ kind: 'over', ending });
  }

  /** The socket that was there is no concern any more. */
  #leave(code: number): void {
    this.#takes_input = false;
    this.#socket?.leave(code);
    this.#retries.stop();
    this.#pulse.stop();
    this.#acks.stop();
    this.#ask(undefined);
  }

  #send(frame: Parameters<TerminalSocket['send']>[0]): void {
    if (this.#socket?.isOpen()) this.#socket.send(frame);
  }
}
