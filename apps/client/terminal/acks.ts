const ACK_STEP_BYTES = 128 * 1024;
const ACK_WAIT_MS = 250; // remainders are acknowledged a few times a second

/** The terminal's position in the session's output. */
export interface Offsets {
  /** Output continues at this offset, after this many bytes of a screen snapshot. */
  begin(offset: number, screen_bytes: number): void;
  received(bytes: number): void;
  /** Output was skipped, so the next resume needs a screen snapshot. */
  forget(): void;
  current(): number | undefined;
}

export function createOffsets(): Offsets {
  let offset: number | undefined;
  let screen_left = 0;
  return {
    begin(at, screen_bytes) {
      offset = at;
      screen_left = screen_bytes;
    },
    received(bytes) {
      const screen_bytes_now = Math.min(screen_left, bytes);
      screen_left -= screen_bytes_now;
      if (offset !== undefined) offset += bytes - screen_bytes_now;
    },
    forget() {
      offset = undefined;
    },
    current: () => offset,
  };
}

/** Acknowledges to the gateway what the terminal has parsed. */
export interface Acks {
  /** A new socket starts: unparsed bytes of the previous one do not count. */
  begin(): void;
  received(bytes: number): void;
  parsed(bytes: number): void;
  stop(): void;
}

export function createAcks(send: (bytes: number) => void): Acks {
  let stale = 0;
  let received = 0;
  let parsed = 0;
  let acked = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function stop(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  function flush(): void {
    stop();
    if (parsed === acked) return;
    acked = parsed;
    send(parsed);
  }

  return {
    begin() {
      stop();
      stale += received - parsed;
      received = parsed = acked = 0;
      send(0); // announces that this client acknowledges
    },
    received(bytes) {
      received += bytes;
    },
    parsed(bytes) {
      const stale_now = Math.min(stale, bytes);
      stale -= stale_now;
      parsed += bytes - stale_now;
      if (parsed - acked >= ACK_STEP_BYTES) flush();
      else timer ??= setTimeout(flush, ACK_WAIT_MS);
    },
    stop,
  };
}
