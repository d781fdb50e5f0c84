const ACK_STEP_BYTES = 128 * 1024;
const ACK_WAIT_MS = 250; // small rests are told a few times a second

/** Where in a session's output the terminal is. */
export interface Offsets {
  /** What comes from now on begins here, after so many bytes of a present screen. */
  begin(offset: number, screen_bytes: number): void;
  received(bytes: number): void;
  /** Something was left out: only a present screen helps. */
  forget(): void;
  present(): number | undefined;
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
      const of_screen = Math.min(screen_left, bytes);
      screen_left -= of_screen;
      if (offset !== undefined) offset += bytes - of_screen;
    },
    forget() {
      offset = undefined;
    },
    present: () => offset,
  };
}

/** Tells the gateway how far the terminal has come. */
export interface Acks {
  /** Another socket: bytes of the one before, which are still to be parsed, do not count for it. */
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

  function tell(): void {
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
      send(0); // says that more will come
    },
    received(bytes) {
      received += bytes;
    },
    parsed(bytes) {
      const of_before = Math.min(stale, bytes);
      stale -= of_before;
      parsed += bytes - of_before;
      if (parsed - acked >= ACK_STEP_BYTES) tell();
      else timer ??= setTimeout(tell, ACK_WAIT_MS);
    },
    stop,
  };
}
