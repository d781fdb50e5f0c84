const MAX_FRAME_BYTES = 64 * 1024; // so that other frames can interleave with a large paste
const MAX_WAITING_BYTES = 64 * 1024; // typed while there is no socket
const MAX_UNTAKEN_BYTES = 4 * 1024 * 1024; // sent, but perhaps lost with its socket

/** All input of a terminal that its shell has perhaps not been given. Positions count from the first byte. */
export interface InputLog {
  /** Adds what is sent at once or, without a socket, waits for one: false if too much waits already. */
  add(bytes: Uint8Array, is_connected: boolean): boolean;
  /** What has not been sent yet, in frames. */
  take(): Uint8Array<ArrayBuffer>[];
  /** The gateway's count before the first byte. */
  begin(count: number): void;
  /** The shell has been given this much, as the gateway counts. */
  taken(count: number): void;
  /** The gateway does not count: what was sent is regarded as taken. */
  forgetSent(): void;
  /** On a new socket, what the shell has not been given is sent again. False if nobody knows, so that input may be lost. */
  resume(count: number | undefined): boolean;
  /** Bytes sent that the shell has perhaps not been given. */
  untaken(): number;
  /** Bytes that wait for a socket. */
  waiting(): number;
  clear(): void;
}

interface Piece {
  readonly at: number;
  readonly bytes: Uint8Array;
}

export function createInputLog(): InputLog {
  const pieces: Piece[] = [];
  let end = 0;
  let sent = 0;
  let taken = 0;
  let base = 0;

  /** Frees what the shell has been given. */
  function trim(): void {
    const oldest = Math.max(taken, sent - MAX_UNTAKEN_BYTES);
    const kept = pieces.findIndex((piece) => endOf(piece) > oldest);
    pieces.splice(0, kept < 0 ? pieces.length : kept);
  }

  function forgetSent(): void {
    taken = sent;
    trim();
  }

  return {
    add(bytes, is_connected) {
      if (!is_connected && end - sent + bytes.length > MAX_WAITING_BYTES) return false;
      if (bytes.length > 0) pieces.push({ at: end, bytes: bytes.slice() });
      end += bytes.length;
      return true;
    },
    take() {
      const first = pieces.findLastIndex((piece) => endOf(piece) <= sent) + 1;
      const frames = pieces.slice(first).flatMap((piece) => [...framesOf(restOf(piece, sent))]);
      sent = end;
      trim();
      return frames;
    },
    begin(count) {
      base = count;
    },
    taken(count) {
      taken = Math.min(sent, Math.max(taken, count - base));
      trim();
    },
    forgetSent,
    resume(count) {
      const at = count === undefined ? undefined : Math.max(taken, count - base);
      const oldest = pieces[0]?.at ?? end;
      const is_whole = taken === sent || (at !== undefined && at >= Math.min(oldest, sent));
      if (count === undefined || !is_whole) {
        base = (count ?? 0) - sent;
        taken = sent;
      } else {
        taken = Math.min(at ?? sent, sent);
        sent = taken;
      }
      trim();
      return is_whole;
    },
    untaken: () => sent - taken,
    waiting: () => end - sent,
    clear() {
      sent = taken = end;
      trim();
    },
  };
}

function endOf({ at, bytes }: Piece): number {
  return at + bytes.length;
}

function restOf({ at, bytes }: Piece, from: number): Uint8Array {
  return bytes.subarray(Math.max(0, from - at));
}

function* framesOf(bytes: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < bytes.length; at += MAX_FRAME_BYTES) yield bytes.slice(at, at + MAX_FRAME_BYTES);
}
