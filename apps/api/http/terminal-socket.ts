import type { WSEvents } from 'hono/ws';
import { Fault, toFault } from '#core/errors.ts';
import { utf8 } from '#core/lib/bytes.ts';
import type { After } from '#core/lib/timers.ts';
import type { OpenTerminal } from '#core/services/terminals.ts';
import type { LiveSession, SessionEnd } from '#core/terminal/live-session.ts';
import type { ClientFrame } from '../contract/frames.ts';
import { parseClientText } from './client-frame.ts';
import type { RawSocket } from './env.ts';
import { createQuestions, type Questions } from './questions.ts';
import type { RefuseLog } from './refuse.ts';
import { createSocket, type Socket } from './socket.ts';

const OPEN_WAIT_MS = 1000; // a client that says no size gets the default one
const EARLY_INPUT_BYTES = 1024 * 1024; // typed before the shell is there
const CHUNK_OVERHEAD_BYTES = 256; // what keeping a chunk costs besides its bytes
const MAX_DIMENSION = 1000;
const DEFAULT_SIZE = { cols: 80, rows: 24 };

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

export interface TerminalSocketOptions {
  /** From the query: the shell opens at once. */
  readonly size: TerminalSize | undefined;
  readonly after: After;
  readonly log: RefuseLog;
  open(request: Omit<OpenTerminal, 'server_id'>): Promise<LiveSession>;
}

/** One terminal's socket: waits for its size, opens the shell, then moves bytes. */
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
    onClose() {
      terminal?.leave();
    },
  };
}

class TerminalSocket {
  readonly #socket: Socket;
  readonly #open: TerminalSocketOptions['open'];
  readonly #log: RefuseLog;
  readonly #gone = new AbortController();
  readonly #cancelWait: () => void;
  #session: LiveSession | undefined;
  #size: TerminalSize;
  #begun = false;
  #early: Uint8Array[] = [];
  #early_bytes = 0;
  readonly #questions: Questions;

  constructor(socket: Socket, { size, after, log, open }: TerminalSocketOptions) {
    this.#socket = socket;
    this.#open = open;
    this.#log = log;
    this.#size = size ? clamp(size) : DEFAULT_SIZE;
    this.#questions = createQuestions((frame) => socket.frame(frame));
    this.#cancelWait = after(OPEN_WAIT_MS, () => this.#begin());
    if (size) this.#begin();
  }

  text(text: string): void {
    const said = parseClientText(text);
    if (said.kind === 'keys') this.input(utf8(text));
    else if (said.kind === 'frame') this.#obey(said.frame);
    else if (said.kind === 'bad')
      this.#quit(new Fault(this.#begun ? 'bad_frame' : 'bad_first_message', said.message));
  }

  input(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#session) this.#session.input(bytes);
    else this.#keep(bytes);
  }

  leave(): void {
    this.#cancelWait();
    this.#socket.stop();
    this.#gone.abort();
    this.#session?.leave();
    this.#early = [];
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
      case 'ack': // flow follows what the network has taken
        break;
      case 'answer':
        if (!this.#questions.answer(frame.answers))
          this.#quit(new Fault('bad_frame', 'Not as many answers as prompts'));
        break;
    }
  }

  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#cancelWait();
    const size = this.#size;
    this.#open({ size, signal: this.#gone.signal, ask: this.#questions.ask }).then(
      (session) => this.#attach(session, size),
      (error) => this.#fail(error),
    );
  }

  #attach(session: LiveSession, opened_size: TerminalSize): void {
    if (this.#gone.signal.aborted) {
      session.leave();
      return;
    }
    this.#session = session;
    const socket = this.#socket;
    socket.frame({ type: 'session', session_id: session.id, offset: 0, server: session.server.name });
    session.attach({
      output: socket.bytes,
      pauseInput: socket.pause,
      resumeInput: socket.resume,
      ended: (end) => this.#ended(end),
    });
    if (this.#size !== opened_size) session.resize(this.#size);
    for (const bytes of this.#early) session.input(bytes);
    this.#early = [];
  }

  #fail(error: unknown): void {
    if (this.#gone.signal.aborted) return;
    const fault = toFault(error);
    if (fault.code === 'internal') this.#log.error({ err: error }, 'terminal failed');
    this.#socket.refuse(fault);
  }

  #ended(end: SessionEnd): void {
    if (end.kind === 'exit') {
      this.#socket.frame({ type: 'exit', code: end.code, signal: end.signal });
      this.#socket.close(1000, 'The shell ended');
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

  /** Zero is what a hidden pane measures: ignored. */
  #resize(size: TerminalSize): void {
    if (size.cols < 1 || size.rows < 1) return;
    this.#size = clamp(size);
    this.#session?.resize(this.#size);
  }

  #quit(fault: Fault): void {
    this.#socket.refuse(fault);
    this.leave();
  }
}

function clamp({ cols, rows }: TerminalSize): TerminalSize {
  return { cols: Math.min(cols, MAX_DIMENSION), rows: Math.min(rows, MAX_DIMENSION) };
}
