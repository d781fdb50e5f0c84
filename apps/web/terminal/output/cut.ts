const LF = 10;
const ESC = '\x1b';

const LATIN1 = new TextDecoder('latin1');
const UTF8 = new TextEncoder();

// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences consist of control characters
const SCREEN_SWITCH = /\x1b\[\?(?:\d+;)*(?:47|1047|1049)(?:;\d+)*[hl]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences consist of control characters
const MODE_SWITCH = /\x1b\[\?[\d;]+[hl]/g;

/** Cancels an unfinished sequence (CAN) and resets attributes and character sets. */
const RESYNC = `\x18${ESC}[0m\x0f${ESC}(B`;

export interface Cut {
  /** Replaces the dropped bytes while keeping the modes they set. */
  readonly bridge: Uint8Array<ArrayBuffer>;
  readonly rest: Uint8Array;
}

/** Drops as much as is safe: whole lines, and nothing after a switch of the screen buffer. */
export function cutOff(backlog: Uint8Array): Cut {
  const text = LATIN1.decode(backlog);
  const switch_at = text.search(SCREEN_SWITCH);
  const limit = switch_at < 0 ? backlog.length : switch_at;
  const line_end = limit === 0 ? -1 : backlog.lastIndexOf(LF, limit - 1);
  const until = line_end < 0 ? limit : line_end + 1;
  const modes = text.slice(0, until).match(MODE_SWITCH) ?? [];
  return {
    bridge: UTF8.encode(`${RESYNC}${[...new Set(modes.reverse())].reverse().join('')}\r\n`),
    rest: backlog.subarray(until),
  };
}

/** Starts at the first whole line. */
export function fromLineStart(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(bytes.indexOf(LF) + 1);
}

export function resync(): Uint8Array<ArrayBuffer> {
  return UTF8.encode(`${RESYNC}\r\n`);
}
