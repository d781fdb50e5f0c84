import type { WSEvents } from 'hono/ws';
import { Fault, toFault } from '#core/errors.ts';
import { utf8 } from '#core/lib/bytes.ts';
import type { After } from '#core/lib/timers.ts';
import { DEFAULT_TERMINAL_SIZE, type QuickTarget, type TerminalSize } from '#core/model/terminal.ts';
import type { Admission } from '#core/terminals/admission.ts';
import type { Attendee, Begun, Seat, SessionEnd } from '#core/terminals/live/participant.ts';
import type { ShellWish } from '#core/terminals/opening.ts';
import type { ClientFrame } from '../../contract/terminals/frames.ts';
import type { RawSocket } from '../../http/env.ts';
import { OPERATOR_MUST_KNOW, type RefuseLog } from '../../http/refuse.ts';
import { createSocket, type Socket } from '../../http/socket.ts';
import { parseClientText, parseQuickOpen } from './client-frame.ts';
import { greeting, newsFrame } from './frames.ts';
import { createQuestions, type Questions } from './questions.ts';
import { createStages, type Stages } from './stages.ts';

const OPEN_WAIT_MS = 1000; // a client that says no size gets the default one
const QUICK_WAIT_MS = 10_000;
const EARLY_INPUT_BYTES = 1024 * 1024; // typed before the shell is there
// What the host does not take is kept; beyond this the socket is read so much further once a second: behind it may be its
// end, or the acks that the host's output, and so the host, waits for.
const HELD_INPUT_BYTES = 1024 * 1024;
const LOOK_MS = 1000;
const STALLED_MS = 5 * 60_000; // with as much waiting as there may be
const CHUNK_OVERHEAD_BYTES = 256; // what keeping a chunk costs besides its bytes
const MAX_DIMENSION = 1000;
const CLOSED_ON_PURPOSE = 1000;

export interface TerminalSocketOptions {
  readonly after: After;
  readonly log: RefuseLog;
  /** What is awaited of the client before anything begins. */
  readonly first:
    | { readonly kind: 'size'; readonly size: TerminalSize | undefined }
    /** A `TerminalQuickOpenFrame`. */
    | { readonly kind: 'quick' }
    | { readonly kind: 'nothing'; readonly size?: TerminalSize | undefined };
  enter(wish: ShellWish, target: QuickTarget | undefined): Promise<Admission>;
}

/** One terminal's socket: waits for what it needs to know, sits down at a session, then moves bytes. */
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
  #seat: Seat | undefined;
  #size: TerminalSize = DEFAULT_TERMINAL_SIZE;
  #is_sized = false; // by the client
  #begun = false;
  #left: 'closed' | 'dropped' = 'dropped'; // once it is gone
  #has_ended = false; // its end was told
  #early: Uint8Array[] = [];
  #early_bytes = 0;
  #early_ack: number | undefined;
  #is_held = false; // the host takes no input
  #held: Uint8Array[] = [];
  #held_bytes = 0;
  #read_until_bytes = HELD_INPUT_BYTES;
  #cancelLook: (() => void) | undefined;

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
        ? after(QUICK_WAIT_MS, () => this.#quit(new Fault('bad_first_message', 'No `open` frame in time')))
        : after(OPEN_WAIT_MS, () => this.#begin());
    if (size || first.kind === 'nothing') this.#begin();
  }

  text(text: string): void {
    if (this.#awaitsTarget()) {
      this.#openQuick(text);
      return;
    }
    const said = parseClientText(text);
    if (said.kind === 'keys') this.input(utf8(text));
    else if (said.kind === 'frame') this.#guard(() => this.#obey(said.frame));
    else if (said.kind === 'bad')
      this.#quit(new Fault(this.#begun ? 'bad_frame' : 'bad_first_message', said.message));
  }

  input(bytes: Uint8Array): void {
    if (this.#awaitsTarget()) this.#quit(new Fault('bad_first_message', 'An `open` frame comes first'));
    else if (bytes.length === 0 || this.#has_ended || this.#gone.signal.aborted) return;
    else if (this.#is_held) this.#hold(bytes);
    else if (!this.#seat) this.#keep(bytes);
    else if (!this.#seat.input(bytes)) this.#hold(bytes);
  }

  closed(code: number): void {
    this.#leave(code === CLOSED_ON_PURPOSE ? 'closed' : 'dropped'); // the code of a shell's end as well, once answered
  }

  #leave(how: 'closed' | 'dropped'): void {
    this.#cancelWait();
    this.#stages.stop();
    this.#socket.stop();
    if (!this.#gone.signal.aborted) this.#left = how;
    this.#gone.abort();
    this.#dropInput();
    this.#seat?.leave(how);
    this.#seat = undefined;
  }

  #awaitsTarget(): boolean {
    return !this.#begun && this.#options.first.kind === 'quick';
  }

  #openQuick(text: string): void {
    const open = parseQuickOpen(text);
    if (!open) {
      this.#quit(new Fault('bad_first_message', 'An `open` frame with `host` and `username` comes first'));
      return;
    }
    const { type: _, cols, rows, ...target } = open;
    this.#resize({ cols: cols ?? this.#size.cols, rows: rows ?? this.#size.rows });
    this.#begin(target);
  }

  #obey(frame: ClientFrame): void {
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
        if (this.#seat) this.#seat.ack(frame.bytes);
        else this.#early_ack = frame.bytes;
        break;
      case 'answer':
        if (!this.#questions.answer(frame.answers))
          throw new Fault('bad_frame', 'Not as many answers as prompts');
        break;
    }
  }

  #guard(obey: () => void): void {
    try {
      obey();
    } catch (error) {
      this.#quit(toFault(error));
    }
  }

  #begin(target?: QuickTarget): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#cancelWait();
    const size = this.#size;
    const wish = { size, signal: this.#gone.signal, ask: this.#questions.ask, watch: this.#stages.at };
    this.#options.enter(wish, target).then(
      (admission) => this.#sitDown(admission),
      (error) => this.#fail(error),
    );
  }

  #sitDown(admission: Admission): void {
    this.#stages.stop();
    if (this.#gone.signal.aborted) {
      admission.abandon(this.#left); // it must not take the place of one that is there
      return;
    }
    try {
      this.#seat = admission.enter(this.#attendee(admission));
    } catch (error) {
      admission.abandon('dropped');
      this.#fail(error);
      return;
    }
    const seat = this.#seat;
    if (admission.role === 'owner' && this.#is_sized) seat.resize(this.#size);
    if (this.#early_ack !== undefined) this.#guard(() => seat.ack(this.#early_ack ?? 0));
    for (const bytes of this.#early) this.input(bytes);
    this.#early = [];
  }

  #attendee(admission: Admission): Attendee {
    const socket = this.#socket;
    return {
      begin: (begun: Begun) => socket.frame(greeting(admission, begun)),
      output: socket.bytes,
      tell: (news) => socket.frame(newsFrame(news)),
      pauseInput: () => {
        this.#is_held = true;
      },
      resumeInput: () => this.#giveHeld(),
      ended: (end) => this.#ended(end),
    };
  }

  #fail(error: unknown): void {
    this.#stages.stop();
    if (this.#gone.signal.aborted) return;
    const fault = toFault(error);
    if (OPERATOR_MUST_KNOW.has(fault.code)) {
      this.#options.log.error({ err: fault.options.cause ?? error }, 'terminal failed');
    }
    this.#socket.refuse(fault);
  }

  #ended(end: SessionEnd): void {
    this.#has_ended = true;
    this.#dropInput();
    this.#socket.resume(); // for the answer to the close
    if (end.kind === 'exit') {
      this.#socket.frame({ type: 'exit', code: end.code, signal: end.signal });
      this.#socket.close(1000, 'The shell ended');
      this.#socket.stop(); // no ping is sent by a socket that closes: what its line is slow about has the time of the close
    } else {
      this.#socket.refuse(end.fault);
    }
  }

  #keep(bytes: Uint8Array): void {
    this.#begin();
    this.#early_bytes += bytes.length + CHUNK_OVERHEAD_BYTES;
    if (this.#early_bytes <= EARLY_INPUT_BYTES) this.#early.push(bytes);
    else this.#quit(new Fault('bad_first_message', 'Too much input before the shell was there'));
  }

  #hold(bytes: Uint8Array): void {
    const cost_bytes = bytes.length + CHUNK_OVERHEAD_BYTES;
    this.#held.push(bytes);
    this.#held_bytes += cost_bytes;
    if (!this.#seat?.hold(cost_bytes)) this.#awaitRoom(STALLED_MS);
    else if (this.#held_bytes > this.#read_until_bytes) this.#pause(LOOK_MS, () => this.#readOn());
  }

  #pause(span_ms: number, then: () => void): void {
    this.#socket.pause();
    this.#cancelLook?.();
    this.#cancelLook = this.#options.after(span_ms, then);
  }

  #readOn(): void {
    this.#read_until_bytes = this.#held_bytes + HELD_INPUT_BYTES;
    this.#hear();
  }

  #hear(): void {
    this.#seat?.deafen(false);
    this.#socket.resume();
  }

  /** Others may give theirs up as well. */
  #awaitRoom(left_ms: number): void {
    this.#seat?.deafen(true); // or the host would wait for acks that lie behind what it does not take
    this.#pause(LOOK_MS, () => {
      if (this.#seat?.hold(0)) this.#readOn();
      else if (left_ms > 0) this.#awaitRoom(left_ms - LOOK_MS);
      else this.#quit(new Fault('bad_frame', 'More input than the host takes'));
    });
  }

  #dropInput(): void {
    this.#cancelLook?.();
    this.#seat?.hold(-this.#held_bytes);
    this.#held_bytes = 0;
    this.#held = [];
    this.#early = [];
  }

  #giveHeld(): void {
    this.#is_held = false;
    while (!this.#is_held) {
      const [bytes] = this.#held;
      if (!bytes || this.#seat?.input(bytes) === false) break;
      this.#held.shift();
      this.#held_bytes -= bytes.length + CHUNK_OVERHEAD_BYTES;
      this.#seat?.hold(-bytes.length - CHUNK_OVERHEAD_BYTES);
    }
    if (this.#held_bytes > HELD_INPUT_BYTES) return;
    this.#read_until_bytes = HELD_INPUT_BYTES;
    this.#cancelLook?.();
    this.#hear();
  }

  /** Zero is what a hidden pane measures: ignored. */
  #resize(size: TerminalSize): void {
    if (size.cols < 1 || size.rows < 1) return;
    this.#size = clamp(size);
    this.#is_sized = true;
    this.#seat?.resize(this.#size);
  }

  /** A client that breaks the protocol may come back: its shell waits. */
  #quit(fault: Fault): void {
    this.#socket.refuse(fault);
    this.#leave('dropped');
  }
}

function clamp({ cols, rows }: TerminalSize): TerminalSize {
  return { cols: Math.min(cols, MAX_DIMENSION), rows: Math.min(rows, MAX_DIMENSION) };
}
