import type { WSEvents } from 'hono/ws';
import { Fault, toFault } from '#core/errors.ts';
import { utf8 } from '#core/lib/bytes.ts';
import type { After } from '#core/lib/timers.ts';
import { DEFAULT_TERMINAL_SIZE, type QuickTarget, type TerminalSize } from '#core/model/terminal.ts';
import type { Admission } from '#core/terminals/admission.ts';
import type {
  Attachment,
  MemberSocket,
  OutputStart,
  SessionEnd,
} from '#core/terminals/live/member-socket.ts';
import type { ShellRequest } from '#core/terminals/opening.ts';
import type { ClientFrame } from '../../contract/terminals/frames.ts';
import type { RawSocket } from '../../http/env.ts';
import { OPERATOR_MUST_KNOW, type RefuseLog } from '../../http/refuse.ts';
import { createSocket, type Socket } from '../../http/socket.ts';
import { parseClientText, parseQuickOpen } from './client-frame.ts';
import { firstFrame, updateFrame } from './frames.ts';
import { createQuestions, type Questions } from './questions.ts';
import { createStages, type Stages } from './stages.ts';

const OPEN_WAIT_MS = 1000; // for the client to send its size; then the default is used
const QUICK_WAIT_MS = 10_000;
const EARLY_INPUT_BYTES = 1024 * 1024; // typed before the shell is open
// Input that the host does not accept yet is buffered. Beyond this, the socket is read only this much further once a
// second: its close may be next, or an ack that the host's output is waiting for.
const BUFFERED_INPUT_BYTES = 1024 * 1024;
const READ_MORE_MS = 1000;
const STALLED_MS = 5 * 60_000; // with the buffer full
const CHUNK_OVERHEAD_BYTES = 256; // memory per buffered chunk besides its bytes
const MAX_DIMENSION = 1000;
const CLOSED_ON_PURPOSE = 1000;

export interface TerminalSocketOptions {
  readonly after: After;
  readonly log: RefuseLog;
  /** What the client has to send before the terminal opens. */
  readonly first:
    | { readonly kind: 'size'; readonly size: TerminalSize | undefined }
    /** A `TerminalQuickOpenFrame`. */
    | { readonly kind: 'quick' }
    | { readonly kind: 'nothing'; readonly size?: TerminalSize | undefined };
  admit(request: ShellRequest, target: QuickTarget | undefined): Promise<Admission>;
}

/** One member's socket: waits for the size or target, attaches to a session, then moves bytes. */
export function terminalSocket(options: TerminalSocketOptions): WSEvents<RawSocket> {
  let terminal: TerminalSocket | undefined;
  return {
    onOpen(_event, ws) {
      terminal = new TerminalSocket(createSocket(ws, options.after), options);
    },
    onMessage({ data }) {
      if (typeof data === 'string') terminal?.text(data);
      else if (!(data instanceof Blob)) terminal?.input(new Uint8Array(data));
    },
    onClose({ code }) {
      terminal?.closed(code);
    },
  };
}

class TerminalSocket {
  readonly #socket: Socket;
  readonly #options: TerminalSocketOptions;
  readonly #gone = new AbortController();
  readonly #cancelWait: () => void;
  readonly #questions: Questions;
  readonly #stages: Stages;
  #attachment: Attachment | undefined;
  #size: TerminalSize = DEFAULT_TERMINAL_SIZE;
  #is_sized = false; // by the client
  #begun = false;
  #closed_how: 'closed' | 'dropped' = 'dropped'; // valid once the socket is gone
  #has_ended = false; // the client has been told
  #early: Uint8Array[] = [];
  #early_bytes = 0;
  #early_ack: number | undefined;
  #is_blocked = false; // the host accepts no input
  #buffered: Uint8Array[] = [];
  #buffered_bytes = 0;
  #read_until_bytes = BUFFERED_INPUT_BYTES;
  #cancelReadMore: (() => void) | undefined;

  constructor(socket: Socket, options: TerminalSocketOptions) {
    const { first, after } = options;
    this.#socket = socket;
    this.#options = options;
    this.#questions = createQuestions((frame) => socket.frame(frame));
    this.#stages = createStages(after, (frame) => socket.frame(frame));
    const size = first.kind === 'quick' ? undefined : first.size;
    if (size) this.#resize(size);
    this.#cancelWait =
      first.kind === 'quick'
        ? after(QUICK_WAIT_MS, () =>
            this.#quit(new Fault('bad_first_message', 'No `open` frame arrived in time')),
          )
        : after(OPEN_WAIT_MS, () => this.#begin());
    if (size || first.kind === 'nothing') this.#begin();
  }

  text(text: string): void {
    if (this.#isAwaitingTarget()) {
      this.#openQuick(text);
      return;
    }
    const parsed = parseClientText(text);
    if (parsed.kind === 'keys') this.input(utf8(text));
    else if (parsed.kind === 'frame') this.#guard(() => this.#handle(parsed.frame));
    else if (parsed.kind === 'bad')
      this.#quit(new Fault(this.#begun ? 'bad_frame' : 'bad_first_message', parsed.message));
  }

  input(bytes: Uint8Array): void {
    if (this.#isAwaitingTarget())
      this.#quit(new Fault('bad_first_message', 'The first message must be an `open` frame'));
    else if (bytes.length === 0 || this.#has_ended || this.#gone.signal.aborted) return;
    else if (this.#is_blocked) this.#buffer(bytes);
    else if (!this.#attachment) this.#keepEarly(bytes);
    else if (!this.#attachment.input(bytes)) this.#buffer(bytes);
  }

  closed(code: number): void {
    this.#detach(code === CLOSED_ON_PURPOSE ? 'closed' : 'dropped'); // also the client's answer to the close after the shell's end
  }

  #detach(how: 'closed' | 'dropped'): void {
    this.#cancelWait();
    this.#stages.stop();
    this.#socket.stop();
    if (!this.#gone.signal.aborted) this.#closed_how = how;
    this.#gone.abort();
    this.#dropInput();
    this.#attachment?.detach(how);
    this.#attachment = undefined;
  }

  #isAwaitingTarget(): boolean {
    return !this.#begun && this.#options.first.kind === 'quick';
  }

  #openQuick(text: string): void {
    const open = parseQuickOpen(text);
    if (!open) {
      this.#quit(
        new Fault(
          'bad_first_message',
          'The first message must be an `open` frame with `host` and `username`',
        ),
      );
      return;
    }
    const { type: _, cols, rows, ...target } = open;
    this.#resize({ cols: cols ?? this.#size.cols, rows: rows ?? this.#size.rows });
    this.#begin(target);
  }

  #handle(frame: ClientFrame): void {
    switch (frame.type) {
      case 'open':
        this.#resize({ cols: frame.cols ?? this.#size.cols, rows: frame.rows ?? this.#size.rows });
        this.#begin();
        break;
      case 'resize':
        this.#resize(frame);
        break;
      case 'ping':
        this.#socket.pong();
        break;
      case 'ack':
        if (this.#attachment) this.#attachment.ack(frame.bytes);
        else this.#early_ack = frame.bytes;
        break;
      case 'answer':
        if (!this.#questions.answer(frame.answers))
          throw new Fault('bad_frame', 'The number of answers does not match the prompts');
        break;
    }
  }

  #guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#quit(toFault(error));
    }
  }

  #begin(target?: QuickTarget): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#cancelWait();
    const size = this.#size;
    const request: ShellRequest = {
      size,
      signal: this.#gone.signal,
      ask: this.#questions.ask,
      watch: this.#stages.at,
      banner: (banner) => this.#socket.frame({ type: 'banner', ...banner }),
    };
    this.#options.admit(request, target).then(
      (admission) => this.#attach(admission),
      (error) => this.#fail(error),
    );
  }

  #attach(admission: Admission): void {
    this.#stages.stop();
    if (this.#gone.signal.aborted) {
      admission.abandon(this.#closed_how); // must not take over from a socket that is connected
      return;
    }
    try {
      this.#attachment = admission.attach(this.#memberSocket(admission));
    } catch (error) {
      admission.abandon('dropped');
      this.#fail(error);
      return;
    }
    const attachment = this.#attachment;
    if (admission.role === 'owner' && this.#is_sized) attachment.resize(this.#size);
    if (this.#early_ack !== undefined) this.#guard(() => attachment.ack(this.#early_ack ?? 0));
    for (const bytes of this.#early) this.input(bytes);
    this.#early = [];
  }

  #memberSocket(admission: Admission): MemberSocket {
    const socket = this.#socket;
    return {
      begin: (start: OutputStart) => socket.frame(firstFrame(admission, start)),
      output: socket.bytes,
      update: (update) => socket.frame(updateFrame(update)),
      pauseInput: () => {
        this.#is_blocked = true;
      },
      resumeInput: () => this.#sendBuffered(),
      ended: (end) => this.#ended(end),
    };
  }

  #fail(error: unknown): void {
    this.#stages.stop();
    if (this.#gone.signal.aborted) return;
    const fault = toFault(error);
    if (OPERATOR_MUST_KNOW.has(fault.code)) {
      this.#options.log.error({ err: fault.options.cause ?? error }, 'A terminal failed');
    }
    this.#socket.refuse(fault);
  }

  #ended(end: SessionEnd): void {
    this.#has_ended = true;
    this.#dropInput();
    this.#socket.resume(); // to read the client's answer to the close
    if (end.kind === 'exit') {
      this.#socket.frame({ type: 'exit', code: end.code, signal: end.signal });
      this.#socket.close(1000, 'The shell ended');
      this.#socket.stop(); // no pings while closing: a slow connection has until the close timeout
    } else {
      this.#socket.refuse(end.fault);
    }
  }

  #keepEarly(bytes: Uint8Array): void {
    this.#begin();
    this.#early_bytes += bytes.length + CHUNK_OVERHEAD_BYTES;
    if (this.#early_bytes <= EARLY_INPUT_BYTES) this.#early.push(bytes);
    else this.#quit(new Fault('bad_first_message', 'Too much input before the shell was open'));
  }

  #buffer(bytes: Uint8Array): void {
    const cost_bytes = bytes.length + CHUNK_OVERHEAD_BYTES;
    this.#buffered.push(bytes);
    this.#buffered_bytes += cost_bytes;
    if (!this.#attachment?.buffer(cost_bytes)) this.#awaitRoom(STALLED_MS);
    else if (this.#buffered_bytes > this.#read_until_bytes) this.#pause(READ_MORE_MS, () => this.#readMore());
  }

  #pause(span_ms: number, then: () => void): void {
    this.#socket.pause();
    this.#cancelReadMore?.();
    this.#cancelReadMore = this.#options.after(span_ms, then);
  }

  #readMore(): void {
    this.#read_until_bytes = this.#buffered_bytes + BUFFERED_INPUT_BYTES;
    this.#resumeReading();
  }

  #resumeReading(): void {
    this.#attachment?.ignoreAcks(false);
    this.#socket.resume();
  }

  /** Room also appears when other members free their buffers. */
  #awaitRoom(left_ms: number): void {
    this.#attachment?.ignoreAcks(true); // the acks that the host waits for may be behind input that it does not accept
    this.#pause(READ_MORE_MS, () => {
      if (this.#attachment?.buffer(0)) this.#readMore();
      else if (left_ms > 0) this.#awaitRoom(left_ms - READ_MORE_MS);
      else this.#quit(new Fault('bad_frame', 'More input than the host accepts'));
    });
  }

  #dropInput(): void {
    this.#cancelReadMore?.();
    this.#attachment?.buffer(-this.#buffered_bytes);
    this.#buffered_bytes = 0;
    this.#buffered = [];
    this.#early = [];
  }

  #sendBuffered(): void {
    this.#is_blocked = false;
    while (!this.#is_blocked) {
      const [bytes] = this.#buffered;
      if (!bytes || this.#attachment?.input(bytes) === false) break;
      this.#buffered.shift();
      this.#buffered_bytes -= bytes.length + CHUNK_OVERHEAD_BYTES;
      this.#attachment?.buffer(-bytes.length - CHUNK_OVERHEAD_BYTES);
    }
    if (this.#buffered_bytes > BUFFERED_INPUT_BYTES) return;
    this.#read_until_bytes = BUFFERED_INPUT_BYTES;
    this.#cancelReadMore?.();
    this.#resumeReading();
  }

  /** A hidden pane measures zero, which is ignored. */
  #resize(size: TerminalSize): void {
    if (size.cols < 1 || size.rows < 1) return;
    this.#size = clamp(size);
    this.#is_sized = true;
    this.#attachment?.resize(this.#size);
  }

  /** A client that breaks the protocol may resume its session. */
  #quit(fault: Fault): void {
    this.#socket.refuse(fault);
    this.#detach('dropped');
  }
}

function clamp({ cols, rows }: TerminalSize): TerminalSize {
  return { cols: Math.min(cols, MAX_DIMENSION), rows: Math.min(rows, MAX_DIMENSION) };
}
