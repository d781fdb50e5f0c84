const MAX_DEPTH = 32;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING = new Set(Buffer.from('{['));
const CLOSING = new Set(Buffer.from('}]'));

/** Undefined for a body that is not JSON, or nested too deeply. How many bytes there may be, the body knows. */
export async function readJson(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  const isTooDeep = createDepthBound();
  for await (const piece of body) {
    if (isTooDeep(piece)) return undefined;
    pieces.push(piece);
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString());
  } catch {
    return undefined;
  }
}

/** Deep values overflow the stack of whatever walks them later. */
function createDepthBound(): (piece: Uint8Array) => boolean {
  let depth = 0;
  let [in_string, is_escaped] = [false, false];

  function take(byte: number): void {
    if (is_escaped) is_escaped = false;
    else if (byte === QUOTE) in_string = !in_string;
    else if (in_string) is_escaped = byte === BACKSLASH;
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
  }

  return (piece) => {
    for (const byte of piece) {
      take(byte);
      if (depth > MAX_DEPTH) return true;
    }
    return false;
  };
}
