import { ModelFailed } from '#core/ports/agent.ts';

const MAX_BYTES = 128 * 1024; // a call with all its arguments needs less
const MAX_VALUES = 1000; // 16 calls at once need less

const [LINE_FEED, CARRIAGE_RETURN, QUOTE, BACKSLASH] = [0x0a, 0x0d, 0x22, 0x5c];
const SEPARATORS = new Set(Buffer.from('{[,'));

/**
 * Throws for a server-sent event that is too large, or whose JSON holds too many values: the SDK parses and validates one
 * at once, which would block the event loop for seconds.
 */
export function createEventBound(): (piece: Uint8Array) => void {
  let [bytes, values] = [0, 0];
  let [is_line_empty, in_string, is_escaped] = [true, false, false];

  /** JSON strings hold no line breaks. */
  function endLine(byte: number): void {
    in_string = false;
    is_escaped = false;
    if (byte === CARRIAGE_RETURN) return;
    if (is_line_empty) [bytes, values] = [0, 0];
    is_line_empty = true;
  }

  function take(byte: number): void {
    is_line_empty = false;
    if (is_escaped) is_escaped = false;
    else if (byte === QUOTE) in_string = !in_string;
    else if (in_string) is_escaped = byte === BACKSLASH;
    else if (SEPARATORS.has(byte)) values += 1;
  }

  return (piece) => {
    for (const byte of piece) {
      bytes += 1;
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) endLine(byte);
      else take(byte);
      if (bytes > MAX_BYTES || values > MAX_VALUES)
        throw new ModelFailed('An event of the provider is too large');
    }
  };
}
