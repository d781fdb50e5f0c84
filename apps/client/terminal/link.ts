import { type Acks, createAcks, createOffsets } from './acks.ts';
import { explainBlocked, SocketBlocked } from './blocked.ts';
import { createDelivery, type Delivery } from './delivery.ts';
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
} from './ending.ts';
import type { LinkOptions } from './events.ts';
import { createPulse, type Pulse } from './pulse.ts';
import { takeRequested } from './requested.ts';
import { createRetries, type Retries } from './retries.ts';
import { openTerminalSocket, type SocketEvents, type TerminalSocket } from './socket.ts';
import { requestAgain, type SocketRequest, socketRequestFor, type TerminalSize } from './target.ts';

const CLOSED_BY_USER = 1000; // ends the shell
const LEFT = 3001; // any code but 1000 keeps the shell running
const REPLY_ON_RETURN_MS = 4000; // after sleep or another network, most sockets are dead

/** What is known of the session once the gateway has confirmed it. */
interface Membership {
  readonly session_id: string;
  readonly server: string;
  readonly is_owner: boolean;
  readonly may_type: boolean;
}

/** One shell over a series of sockets: after a dropped connection it resumes without losing a byte. */
export class TerminalLink {
  readonly #options: LinkOptions;
  readonly #offsets = createOffsets();
  readonly #acks: Acks = createAcks((bytes) => this.#send({ type: 'ack', bytes }));
  readonly #retries: Retries = createRetries(() => this.#reconnect());
  readonly #pulse: Pulse = createPulse({
    sendPing: () => this.#membership !== undefined && this.#send({ type: 'ping' }),
    dead: () => this.#drop(undefined),
    silent: (since_ms) => {
      if (!this.#is_closed) this.#options.events.silent?.(since_ms);
    },
    round_trip: (ms) => this.#options.events.round_trip?.(ms),
  });
  readonly #delivery: Delivery = createDelivery({
    socket: () => this.#socket,
    hasShell: () => this.#membership !== undefined,
    pulse: this.#pulse,
    lost: (loss) => this.#options.events.input_lost?.(loss),
    unread: (bytes) => {
      if (!this.#is_closed) this.#options.events.unread?.(bytes);
    },
  });
  readonly #stopListening: () => void;
  #socket: TerminalSocket | undefined;
  #size: TerminalSize | undefined;
  #membership: Membership | undefined;
  #has_begun = false;
  #ending: Ending | undefined;
  #is_closed = false;
  #has_prompt = false;
  #exit: ExitFrame | undefined;
  #error: ErrorFrame | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#size = options.size;
    this.#stopListening = options.onReturn?.(() => this.#returned()) ?? (() => {});
    options.events.state({ kind: 'connecting' });
    this.#connect(socketRequestFor(options.target, options.size, options.client.client_id));
  }

  input(data: string | Uint8Array): void {
    if (this.#isOver() || this.#membership?.may_type === false) return;
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    if (!this.#delivery.add(bytes)) this.#options.events.overflow?.();
  }

  resize(size: TerminalSize): void {
    if (size.cols === this.#size?.cols && size.rows === this.#size.rows) return;
    this.#size = size;
    if (this.#has_begun) this.#send({ type: 'resize', ...size });
  }

  /** The terminal has parsed this much more output. */
  parsed(bytes: number): void {
    this.#acks.parsed(bytes);
  }

  /** Answers the latest prompt, one answer per question. */
  answer(answers: readonly string[]): void {
    if (!this.#has_prompt || !this.#socket?.isOpen()) return;
    this.#setPrompt(undefined);
    this.#send({ type: 'answer', answers: [...answers] });
  }

  /** Measures the round trip to the gateway, one ping at a time. */
  ping(): void {
    this.#pulse.ping();
  }

  /** Retries now instead of waiting, also on a line that does not answer; takes back a session that another client has. */
  reconnectNow(): void {
    if (this.#ending?.kind === 'taken_over' && !this.#is_closed) {
      this.#ending = undefined;
      this.#reconnect({ take_over: true });
    } else if (this.#pulse.isSilent()) {
      this.#leave(LEFT);
      this.#reconnect();
    } else this.#retries.hurry();
  }

  /** Reconnects for a fresh screen after output was skipped. */
  refresh(): void {
    if (!this.#membership || this.#isOver()) return;
    this.#leave(LEFT);
    this.#offsets.forget();
    this.#reconnect();
  }

  /** Ends the shell. No more events follow, except about input that it has not got. */
  close(): void {
    const { client } = this.#options;
    const running = this.#isOver() ? undefined : this.#membership;
    if (!running) this.#delivery.giveUp(); // it has never reached a shell
    const is_connected = this.#socket?.isOpen() === true;
    this.#quit(CLOSED_BY_USER);
    if (!running?.is_owner || is_connected) return;
    const params = { path: { session_id: running.session_id } };
    // Without a socket the gateway would keep the session for a resume. This request may fail like the socket did.
    void client.http.DELETE('/api/terminal/sessions/{session_id}', { params }).catch(() => undefined);
  }

  /** Keeps the shell running so that it can be resumed. No more events follow. */
  detach(): void {
    this.#quit(LEFT);
  }

  #quit(code: number): void {
    this.#is_closed = true;
    this.#stopListening();
    this.#leave(code);
  }

  #isOver(): boolean {
    return this.#is_closed || this.#ending !== undefined;
  }

  #isEstablished(): boolean {
    return this.#membership !== undefined || this.#options.target.kind === 'session';
  }

  #connect(request: SocketRequest): void {
    const { client } = this.#options;
    this.#exit = this.#error = undefined;
    const events: SocketEvents = {
      opened: () => this.#opened(request),
      bytes: (bytes) => this.#received(bytes),
      frame: (frame) => {
        this.#pulse.heard();
        this.#handle(frame);
      },
      closed: (code, reason) => this.#closed(code, reason),
      refused: (error) => this.#refused(error),
    };
    this.#socket = takeRequested(client, request, events) ?? openTerminalSocket({ client, request, events });
  }

  /** Resumes the own session, unless another client has it by now, or joins the shared one again. */
  #reconnect({ take_over = false } = {}): void {
    const { target, events, client } = this.#options;
    const { client_id } = client;
    const before = this.#membership;
    const own = before?.is_owner
      ? { session_id: before.session_id, offset: this.#offsets.current() }
      : undefined;
    const attempt = this.#retries.attempts();
    events.state({ kind: 'reconnecting', attempt, next_at: undefined, error: this.#error });
    this.#connect(requestAgain({ target, own, client_id, take_over }, this.#size));
  }

  #opened(request: SocketRequest): void {
    const socket = this.#socket;
    const { sized } = this.#options;
    if (!request.hello || !sized) this.#begin(request);
    else void sized.then(() => socket === this.#socket && socket?.isOpen() && this.#begin(request));
  }

  #begin(request: SocketRequest): void {
    const size = this.#size;
    this.#has_begun = true;
    if (request.hello) this.#socket?.send(request.hello(size));
    this.#options.events.begun?.();
    this.#acks.begin();
    if (request.hello)
      this.#delivery.begin(); // the host may prompt before there is a shell
    else if (size && request.size !== size) this.#send({ type: 'resize', ...size });
  }

  #received(bytes: Uint8Array): void {
    this.#pulse.heard();
    this.#offsets.received(bytes.length);
    this.#acks.received(bytes.length);
    this.#options.events.output(bytes);
  }

  #handle(frame: GatewayFrame): void {
    const { events } = this.#options;
    switch (frame.type) {
      case 'session':
        this.#offsets.begin(frame.offset, frame.screen_bytes ?? 0);
        this.#joined(frame, { is_owner: true, may_type: true });
        break;
      case 'joined':
        this.#joined(frame, { is_owner: false, may_type: frame.mode === 'rw' });
        break;
      case 'mode':
        if (this.#membership) this.#membership = { ...this.#membership, may_type: frame.mode === 'rw' };
        events.news?.(frame);
        break;
      case 'exit':
        this.#exit = frame;
        break;
      case 'error':
        this.#error = frame;
        break;
      case 'prompt':
        this.#setPrompt(frame);
        break;
      case 'pong':
        this.#pulse.pong();
        this.#delivery.taken(frame.input_bytes);
        break;
      case 'stage':
      case 'size':
      case 'participants':
      case 'recording':
      case 'notice':
      case 'banner':
        events.news?.(frame);
        break;
    }
  }

  #joined(
    frame: Extract<GatewayFrame, { type: 'session' | 'joined' }>,
    rights: Pick<Membership, 'is_owner' | 'may_type'>,
  ): void {
    const { session_id, server } = frame;
    this.#delivery.resume(frame.type === 'session' ? frame.input_bytes : undefined);
    this.#membership = { session_id, server, ...rights };
    this.#retries.succeeded();
    this.#pulse.start();
    this.#setPrompt(undefined);
    this.#options.events.news?.(frame);
    this.#options.events.state({ kind: 'open', server, session_id });
    this.#delivery.begin();
  }

  #setPrompt(prompt: PromptFrame | undefined): void {
    if (!prompt && !this.#has_prompt) return;
    this.#has_prompt = prompt !== undefined;
    this.#options.events.prompt?.(prompt);
  }

  #returned(): void {
    if (!this.#retries.hurry() && this.#socket?.isOpen()) this.#pulse.ask(REPLY_ON_RETURN_MS);
  }

  #closed(code: number, reason: string): void {
    const established = this.#isEstablished();
    this.#follow(outcomeOf({ code, reason, established, exit: this.#exit, error: this.#error }));
  }

  #refused(error: unknown): void {
    const outcome = outcomeOfRefusal(error, this.#isEstablished());
    if (outcome.kind === 'over' && error instanceof SocketBlocked) void this.#explain();
    else this.#follow(outcome);
  }

  async #explain(): Promise<void> {
    const socket = this.#socket;
    const ending = await explainBlocked(this.#options.client);
    if (socket === this.#socket && !this.#isOver()) this.#finish(ending);
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
    this.#delivery.giveUp(ending);
    this.#options.events.state({ kind: 'over', ending });
  }

  /** Abandons the current socket. */
  #leave(code: number): void {
    this.#has_begun = false;
    this.#socket?.leave(code);
    this.#retries.stop();
    this.#pulse.stop();
    this.#delivery.stop();
    this.#acks.stop();
    this.#setPrompt(undefined);
  }

  /** False without an open socket. */
  #send(frame: Parameters<TerminalSocket['send']>[0]): boolean {
    if (!this.#socket?.isOpen()) return false;
    this.#socket.send(frame);
    return true;
  }
}
