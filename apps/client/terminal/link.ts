import { type Acks, createAcks, createOffsets } from './acks.ts';
import { explainBlocked, SocketBlocked } from './blocked.ts';
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
import { createHeartbeat, type Heartbeat, REPLY_TIMEOUT_MS } from './heartbeat.ts';
import { createInputLog } from './input.ts';
import { takeRequested } from './requested.ts';
import { createRetries, type Retries } from './retries.ts';
import { createSilence, type Silence } from './silence.ts';
import { openTerminalSocket, type SocketEvents, type TerminalSocket } from './socket.ts';
import { resumeRequest, type SocketRequest, socketRequestFor, type TerminalSize } from './target.ts';
import { createUnread, type Unread } from './unread.ts';

const CLOSED_BY_USER = 1000; // ends the shell
const LEFT = 3001; // any code but 1000 keeps the shell running
const ASK_TAKEN_MS = 1000; // after input, so that it need not be kept
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
  readonly #log = createInputLog();
  readonly #acks: Acks = createAcks((bytes) => this.#send({ type: 'ack', bytes }));
  readonly #retries: Retries = createRetries(() => this.#reconnect());
  readonly #heartbeat: Heartbeat = createHeartbeat({
    ping: () => this.ping(),
    dead: () => this.#drop(undefined),
  });
  readonly #silence: Silence = createSilence({
    ask: () => this.#heartbeat.ask(REPLY_TIMEOUT_MS),
    changed: (since_ms) => {
      this.#is_silent = since_ms !== undefined;
      if (!this.#is_closed) this.#options.events.silent?.(since_ms);
    },
  });
  readonly #unread: Unread = createUnread((bytes) => {
    if (!this.#is_closed) this.#options.events.unread?.(bytes);
  });
  readonly #stopListening: () => void;
  #socket: TerminalSocket | undefined;
  #size: TerminalSize | undefined;
  #membership: Membership | undefined;
  #has_begun = false;
  #takes_input = false;
  #ending: Ending | undefined;
  #is_closed = false;
  #has_prompt = false;
  #exit: ExitFrame | undefined;
  #error: ErrorFrame | undefined;
  #pinged_at: number | undefined;
  #asking_taken: ReturnType<typeof setTimeout> | undefined;
  #is_silent = false;
  #is_repeating = false; // input of a lost socket was sent again, and nobody knows yet whether it was taken

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
    const is_connected = this.#takes_input && this.#socket?.isOpen() === true;
    if (!this.#log.add(bytes, is_connected)) this.#options.events.overflow?.();
    else if (is_connected) this.#type();
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
    if (!this.#membership || this.#pinged_at !== undefined || !this.#socket?.isOpen()) return;
    this.#pinged_at = performance.now();
    this.#send({ type: 'ping' });
  }

  /** Retries now instead of waiting, also on a line that does not answer; takes back a session that another client has. */
  reconnectNow(): void {
    if (this.#ending?.kind === 'taken_over' && !this.#is_closed) {
      this.#ending = undefined;
      this.#reconnect({ take_over: true });
    } else if (this.#is_silent) {
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
    if (!running) this.#tellLoss(); // it has never reached a shell
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
    this.#exit = this.#error = this.#pinged_at = undefined;
    const events: SocketEvents = {
      opened: () => this.#opened(request),
      bytes: (bytes) => this.#received(bytes),
      frame: (frame) => {
        this.#heard();
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
    const attempt = this.#retries.attempts();
    events.state({ kind: 'reconnecting', attempt, next_at: undefined, error: this.#error });
    this.#connect(
      before?.is_owner
        ? resumeRequest(
            { session_id: before.session_id, offset: this.#offsets.current(), client_id, take_over },
            this.#size,
          )
        : socketRequestFor(
            take_over && target.kind === 'session' ? { ...target, take_over } : target, // as it was wanted at first
            this.#size,
            client_id,
          ),
    );
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
      this.#takeInput(); // the host may prompt before there is a shell
    else if (size && request.size !== size) this.#send({ type: 'resize', ...size });
  }

  #takeInput(): void {
    this.#takes_input = true;
    this.#type();
  }

  #type(): void {
    const frames = this.#log.take();
    if (frames.length === 0) return;
    for (const frame of frames) this.#socket?.input(frame);
    if (!this.#membership) return;
    this.#silence.typed();
    this.#asking_taken ??= setTimeout(() => this.#askTaken(), ASK_TAKEN_MS);
  }

  #askTaken(): void {
    this.#asking_taken = undefined;
    if (this.#log.untaken() > 0) this.ping();
  }

  #heard(): void {
    this.#heartbeat.heard();
    this.#silence.heard();
  }

  #received(bytes: Uint8Array): void {
    this.#heard();
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
        if (this.#pinged_at !== undefined) events.round_trip?.(performance.now() - this.#pinged_at);
        this.#pinged_at = undefined;
        this.#taken(frame.input_bytes);
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

  #taken(count: number | undefined): void {
    if (count === undefined) this.#log.forgetSent();
    else this.#log.taken(count);
    this.#unread.told({ taken: count ?? 0, waiting: this.#log.untaken() });
    if (this.#log.untaken() === 0) this.#is_repeating = false;
    else this.#asking_taken ??= setTimeout(() => this.#askTaken(), ASK_TAKEN_MS); // the host takes it slowly
  }

  /** Continues the input where the shell has it. */
  #resumeInput(count: number | undefined): void {
    const untaken = this.#log.untaken();
    if (!this.#membership) this.#log.begin(count ?? 0);
    else if (this.#log.resume(count)) this.#is_repeating = this.#log.waiting() > 0;
    else this.#options.events.input_lost?.({ bytes: untaken, is_certain: false });
  }

  #joined(
    frame: Extract<GatewayFrame, { type: 'session' | 'joined' }>,
    rights: Pick<Membership, 'is_owner' | 'may_type'>,
  ): void {
    const { session_id, server } = frame;
    this.#resumeInput(frame.type === 'session' ? frame.input_bytes : undefined);
    this.#membership = { session_id, server, ...rights };
    this.#retries.succeeded();
    this.#heartbeat.start();
    this.#setPrompt(undefined);
    this.#options.events.news?.(frame);
    this.#options.events.state({ kind: 'open', server, session_id });
    this.#takeInput();
  }

  #setPrompt(prompt: PromptFrame | undefined): void {
    if (!prompt && !this.#has_prompt) return;
    this.#has_prompt = prompt !== undefined;
    this.#options.events.prompt?.(prompt);
  }

  #returned(): void {
    if (!this.#retries.hurry() && this.#socket?.isOpen()) this.#heartbeat.ask(REPLY_ON_RETURN_MS);
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
    this.#tellLoss(ending);
    this.#options.events.state({ kind: 'over', ending });
  }

  /** A shell that ends by itself has read what it wanted, but not what was sent again after its end. */
  #tellLoss(ending?: Ending): void {
    const is_own_end = ending?.kind === 'exit' && !this.#is_repeating;
    const untaken = is_own_end ? 0 : this.#log.untaken();
    const bytes = this.#log.waiting() + untaken;
    this.#log.clear();
    const is_certain = this.#membership === undefined || untaken === 0;
    if (bytes > 0) this.#options.events.input_lost?.({ bytes, is_certain });
  }

  /** Abandons the current socket. */
  #leave(code: number): void {
    this.#has_begun = this.#takes_input = false;
    this.#socket?.leave(code);
    this.#retries.stop();
    this.#heartbeat.stop();
    this.#silence.stop();
    this.#unread.stop();
    clearTimeout(this.#asking_taken);
    this.#asking_taken = undefined;
    this.#acks.stop();
    this.#setPrompt(undefined);
  }

  #send(frame: Parameters<TerminalSocket['send']>[0]): void {
    if (this.#socket?.isOpen()) this.#socket.send(frame);
  }
}
