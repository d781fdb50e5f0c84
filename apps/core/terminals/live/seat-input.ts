import { Fault } from '../../errors.ts';
import { concatenated } from '../../lib/bytes/bytes.ts';
import type { After } from '../../lib/time/timers.ts';
import type { Attachment } from './member-socket.ts';

const EARLY_BYTES = 1024 * 1024; // typed before the shell is open
// Input that the host does not accept yet is buffered. Beyond this, the member is read only this much further once a
// second: a close may be next, or an ack that the host's output is waiting for.
const BUFFERED_BYTES = 1024 * 1024;
const READ_MORE_MS = 1000;
const STALLED_MS = 5 * 60_000; // with the buffer full
const CHUNK_OVERHEAD_BYTES = 256; // memory per buffered chunk besides its bytes
const PIECE_BYTES = 32 * 1024; // of what was buffered, to the host at once

/** The transport of a member, as far as it is read. */
export interface Reading {
  pause(): void;
  resume(): void;
}

interface Deps {
  readonly reading: Reading;
  readonly after: After;
  /** The member sends more than may be kept. */
  readonly refuse: (fault: Fault) => void;
}

/** What one member types: kept until the shell is open, and while the host accepts nothing; bounded both times. */
export interface SeatInput {
  take(bytes: Uint8Array): void;
  /** The shell is open. */
  attach(attachment: Attachment): void;
  /** The host accepts nothing. */
  block(): void;
  /** The host accepts input again. */
  unblock(): void;
  /** Forgets what is kept. */
  drop(): void;
}

export function createSeatInput({ reading, after, refuse }: Deps): SeatInput {
  let attachment: Attachment | undefined;
  let early: Uint8Array[] = [];
  let early_bytes = 0;
  let is_blocked = false;
  let buffered: Uint8Array[] = [];
  let buffered_bytes = 0;
  let read_until_bytes = BUFFERED_BYTES;
  let cancelReadMore: (() => void) | undefined;

  function take(bytes: Uint8Array): void {
    if (is_blocked) buffer(bytes);
    else if (!attachment) keepEarly(bytes);
    else if (!attachment.input(bytes)) buffer(bytes);
  }

  function keepEarly(bytes: Uint8Array): void {
    early_bytes += bytes.length + CHUNK_OVERHEAD_BYTES;
    if (early_bytes <= EARLY_BYTES) early.push(bytes);
    else refuse(new Fault('bad_first_message', 'Too much input before the shell was open'));
  }

  function buffer(bytes: Uint8Array): void {
    const cost_bytes = bytes.length + CHUNK_OVERHEAD_BYTES;
    buffered.push(bytes);
    buffered_bytes += cost_bytes;
    if (!attachment?.buffer(cost_bytes)) awaitRoom(STALLED_MS);
    else if (buffered_bytes > read_until_bytes) pause(READ_MORE_MS, readMore);
  }

  function pause(span_ms: number, then: () => void): void {
    reading.pause();
    cancelReadMore?.();
    cancelReadMore = after(span_ms, then);
  }

  function readMore(): void {
    read_until_bytes = buffered_bytes + BUFFERED_BYTES;
    resumeReading();
  }

  function resumeReading(): void {
    attachment?.ignoreAcks(false);
    reading.resume();
  }

  /** Room also appears when other members free their buffers. */
  function awaitRoom(left_ms: number): void {
    attachment?.ignoreAcks(true); // the acks that the host waits for may be behind input that it does not accept
    pause(READ_MORE_MS, () => {
      if (attachment?.buffer(0)) readMore();
      else if (left_ms > 0) awaitRoom(left_ms - READ_MORE_MS);
      else refuse(new Fault('bad_frame', 'More input than the host accepts'));
    });
  }

  return {
    take,

    attach(given) {
      attachment = given;
      const typed = early;
      early = [];
      for (const bytes of typed) take(bytes);
    },

    block() {
      is_blocked = true;
    },

    unblock() {
      is_blocked = false;
      while (!is_blocked && buffered.length > 0) {
        const piece = buffered.slice(0, pieceLength(buffered));
        if (attachment?.input(concatenated(piece)) === false) break;
        buffered.splice(0, piece.length);
        const cost_bytes = costOf(piece);
        buffered_bytes -= cost_bytes;
        attachment?.buffer(-cost_bytes);
      }
      if (buffered_bytes > BUFFERED_BYTES) return;
      read_until_bytes = BUFFERED_BYTES;
      cancelReadMore?.();
      resumeReading();
    },

    drop() {
      cancelReadMore?.();
      attachment?.buffer(-buffered_bytes);
      buffered_bytes = 0;
      buffered = [];
      early = [];
    },
  };
}

/** How many chunks are given to the host at once. One by one, tens of thousands of keys would be as many packets. */
function pieceLength(chunks: readonly Uint8Array[]): number {
  let bytes = 0;
  const more = chunks.findIndex((chunk, index) => {
    bytes += chunk.length;
    return index > 0 && bytes > PIECE_BYTES;
  });
  return more < 0 ? chunks.length : more;
}

function costOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { length }) => sum + length + CHUNK_OVERHEAD_BYTES, 0);
}
