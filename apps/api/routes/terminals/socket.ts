import type { WSEvents } from 'hono/ws';
import { Fault, toFault } from '#core/errors.ts';
import { utf8 } from '#core/lib/bytes/bytes.ts';
import type { After } from '#core/lib/time/timers.ts';
import type { QuickTarget, TerminalSize } from '#core/model/terminal.ts';
import type { Admission } from '#core/terminals/admission.ts';
import type { SessionEnd } from '#core/terminals/live/member-socket.ts';
import type { Seat, Seats, SeatTransport } from '#core/terminals/live/seat.ts';
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
const CLOSED_ON_PURPOSE = 1000;

export interface TerminalSocketOptions {
  readonly seats: Seats;
  readonly after: After;
  readonly log: RefuseLog;
  readonly client_id?: string | undefined;
  /** What the client has to send before the terminal opens. */
  readonly first:
    | { readonly kind: 'size'; readonly size: TerminalSize | undefined }
    /** A `TerminalQuickOpenFrame`. */
    | { readonly kind: 'quick' }
    | { readonly kind: 'nothing'; readonly size?: TerminalSize | undefined };
  admit(request: ShellRequest, target: QuickTarget | undefined): Promise<Admission>;
}

/** One member's socket: waits for the size or target, takes a seat, then moves bytes. */
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

/** Translates between frames and the member's seat. */
class TerminalSocket {
  readonly #socket: Socket;
  readonly #options: TerminalSocketOptions;
  readonly #cancelWait: () => void;
  readonly #questions: Questions;
  readonly #stages: Stages;
  readonly #seat: Seat;
  #begun = false;
  #is_gone = false; // what still arrives is ignored

  constructor(socket: Socket, options: TerminalSocketOptions) {
    const { first, after, seats } = options;
    this.#socket = socket;
    this.#options = options;
    this.#questions = createQuestions((frame) => socket.frame(frame));
    this.#stages = createStages(after, (frame) => socket.frame(frame));
    this.#seat = seats.at(this.#transport());
    const size = first.kind === 'quick' ? undefined : first.size;
    if (size) this.#seat.resize(size);
    this.#cancelWait =
      first.kind === 'quick'
        ? after(QUICK_WAIT_MS, () =>
            this.#quit(new Fault('bad_first_message', 'No `open` frame arrived in time')),
          )
        : after(OPEN_WAIT_MS, () => this.#begin());
    if (size || first.kind === 'nothing') this.#begin();
  }

  text(text: string): void {
    if (this.#is_gone) return;
    if (this.#isAwaitingTarget()) {
      this.#openQuick(text);
      return;
    }
    const parsed = parseClientText(text);
    if (parsed.kind === 'keys') this.input(utf8(text));
    else if (parsed.kind === 'frame') this.#handle(parsed.frame);
    else if (parsed.kind === 'bad')
      this.#quit(new Fault(this.#begun ? 'bad_frame' : 'bad_first_message', parsed.message));
  }

  input(bytes: Uint8Array): void {
    if (this.#is_gone) return;
    if (this.#isAwaitingTarget()) {
      this.#quit(new Fault('bad_first_message', 'The first message must be an `open` frame'));
      return;
    }
    if (bytes.length > 0) this.#begin();
    this.#seat.input(bytes);
  }

  closed(code: number): void {
    this.#leave(code === CLOSED_ON_PURPOSE ? 'closed' : 'dropped'); // also the client's answer to the close after the shell's end
  }

  #leave(how: 'closed' | 'dropped'): void {
    this.#is_gone = true;
    this.#cancelWait();
    this.#stages.stop();
    this.#socket.stop();
    this.#seat.leave(how);
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
    this.#seat.resize({ ...this.#seat.size, ...defined({ cols, rows }) });
    this.#begin(target);
  }

  #handle(frame: ClientFrame): void {
    try {
      this.#follow(frame);
    } catch (error) {
      this.#quit(toFault(error));
    }
  }

  #follow(frame: ClientFrame): void {
    switch (frame.type) {
      case 'open':
        this.#seat.resize({ ...this.#seat.size, ...defined(frame) });
        this.#begin();
        break;
      case 'resize':
        this.#seat.resize(frame);
        break;
      case 'ping':
        this.#socket.pong(this.#seat.taken());
        break;
      case 'ack':
        this.#seat.ack(frame.bytes);
        break;
      case 'answer':
        if (!this.#questions.answer(frame.answers))
          throw new Fault('bad_frame', 'The number of answers does not match the prompts');
        break;
    }
  }

  #begin(target?: QuickTarget): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#cancelWait();
    this.#seat.take((request) => this.#options.admit(request, target));
  }

  #transport(): SeatTransport {
    const socket = this.#socket;
    return {
      client_id: this.#options.client_id,
      asking: {
        ask: this.#questions.ask,
        watch: this.#stages.at,
        banner: (banner) => socket.frame({ type: 'banner', ...banner }),
      },
      begin: (admission, start) => {
        this.#stages.stop();
        socket.frame(firstFrame(admission, start));
      },
      output: socket.bytes,
      update: (update) => socket.frame(updateFrame(update)),
      pause: socket.pause,
      resume: socket.resume,
      fail: (error) => this.#fail(error),
      refuse: (fault) => this.#quit(fault),
      ended: (end) => this.#ended(end),
    };
  }

  #fail(error: unknown): void {
    this.#stages.stop();
    const fault = toFault(error);
    if (OPERATOR_MUST_KNOW.has(fault.code)) {
      this.#options.log.error({ err: fault.options.cause ?? error }, 'A terminal failed');
    }
    this.#quit(fault);
  }

  #ended(end: SessionEnd): void {
    if (end.kind === 'exit') {
      this.#socket.frame({ type: 'exit', code: end.code, signal: end.signal });
      this.#socket.close(1000, 'The shell ended');
      this.#socket.stop(); // no pings while closing: a slow connection has until the close timeout
    } else {
      this.#socket.refuse(end.fault);
    }
  }

  /** A client that breaks the protocol may resume its session. */
  #quit(fault: Fault): void {
    this.#socket.refuse(fault);
    this.#leave('dropped');
  }
}

/** Only what the client has named. */
function defined({
  cols,
  rows,
}: Partial<Record<keyof TerminalSize, number | undefined>>): Partial<TerminalSize> {
  return { ...(cols === undefined ? {} : { cols }), ...(rows === undefined ? {} : { rows }) };
}
