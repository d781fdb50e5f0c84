import { type Fault, toFault } from '../../errors.ts';
import type { After } from '../../lib/time/timers.ts';
import { DEFAULT_TERMINAL_SIZE, type TerminalSize } from '../../model/terminal.ts';
import type { Admission } from '../admission.ts';
import type { ShellRequest } from '../opening.ts';
import type { Attachment, MemberSocket, OutputStart, SessionEnd } from './member-socket.ts';
import { createSeatInput, type Reading } from './seat-input.ts';

const MOST_CELLS = 1000; // of a line, and of a column

type How = 'closed' | 'dropped';

/** What brings one member to a terminal, such as a WebSocket. */
export interface SeatTransport extends Reading, Pick<MemberSocket, 'client_id' | 'output' | 'update'> {
  /** How to ask the member, and to tell it about the way there. */
  readonly asking: Pick<ShellRequest, 'ask' | 'watch' | 'banner'>;
  /** Called once, before any output. */
  begin(admission: Admission, start: OutputStart): void;
  /** The member was not admitted. */
  fail(error: unknown): void;
  /** The member broke a rule: the transport ends, and the member may come back. */
  refuse(fault: Fault): void;
  /** Called once, after the last output. */
  ended(end: SessionEnd): void;
}

/** One member's place at a terminal, from before the shell is open until its transport is gone. */
export interface Seat {
  /** Size that the member has, or will have. */
  readonly size: TerminalSize;
  /** Called once. */
  take(admit: (request: ShellRequest) => Promise<Admission>): void;
  /** Keeps what comes before the shell is open, or while the host accepts nothing. */
  input(bytes: Uint8Array): void;
  /** Sizes of zero are ignored, as of a hidden pane; larger ones than 1,000 × 1,000 are reduced. */
  resize(size: TerminalSize): void;
  /** Throws `bad_frame` for bytes that were never sent. */
  ack(bytes: number): void;
  /** Input of this client that the shell has been given; undefined if that is not counted. */
  taken(): number | undefined;
  /** The transport is gone: `closed` on purpose, or `dropped`. */
  leave(how: How): void;
}

/** What a member of a terminal may do, for every transport. */
export interface Seats {
  at(transport: SeatTransport): Seat;
}

export function createSeats(after: After): Seats {
  return { at: (transport) => createSeat(transport, after) };
}

function createSeat(transport: SeatTransport, after: After): Seat {
  const gone = new AbortController();
  const input = createSeatInput({ reading: transport, after, refuse: transport.refuse });
  let attachment: Attachment | undefined;
  let size = DEFAULT_TERMINAL_SIZE;
  let is_sized = false; // by the member
  let early_ack: number | undefined;
  let left_how: How = 'dropped';
  let has_ended = false;

  function attach(admission: Admission): void {
    if (gone.signal.aborted) {
      admission.abandon(left_how); // must not take over from a transport that is connected
      return;
    }
    try {
      attachment = admission.attach(memberSocket(admission));
    } catch (error) {
      admission.abandon('dropped');
      transport.fail(error);
      return;
    }
    if (admission.role === 'owner' && is_sized) attachment.resize(size);
    try {
      if (early_ack !== undefined) attachment.ack(early_ack);
    } catch (error) {
      transport.refuse(toFault(error));
    }
    if (!gone.signal.aborted) input.attach(attachment);
  }

  function memberSocket(admission: Admission): MemberSocket {
    return {
      client_id: transport.client_id,
      begin: (start) => transport.begin(admission, start),
      output: transport.output,
      update: transport.update,
      pauseInput: input.block,
      resumeInput: input.unblock,
      ended(end) {
        has_ended = true;
        input.drop();
        transport.resume(); // to read the member's answer to the end
        transport.ended(end);
      },
    };
  }

  function fail(error: unknown): void {
    if (!gone.signal.aborted) transport.fail(error);
  }

  return {
    get size() {
      return size;
    },
    take(admit) {
      if (!gone.signal.aborted) admit({ size, signal: gone.signal, ...transport.asking }).then(attach, fail);
    },
    input(bytes) {
      if (bytes.length > 0 && !has_ended && !gone.signal.aborted) input.take(bytes);
    },
    resize({ cols, rows }) {
      if (cols < 1 || rows < 1) return;
      size = { cols: Math.min(cols, MOST_CELLS), rows: Math.min(rows, MOST_CELLS) };
      is_sized = true;
      attachment?.resize(size);
    },
    ack(bytes) {
      if (attachment) attachment.ack(bytes);
      else early_ack = bytes;
    },
    taken: () => attachment?.taken(),
    leave(how) {
      if (!gone.signal.aborted) left_how = how;
      gone.abort();
      input.drop();
      attachment?.detach(how);
      attachment = undefined;
    },
  };
}
