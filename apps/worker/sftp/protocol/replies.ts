import { DATA, MAX_PACKET_BYTES } from './wire.ts';

export interface Reply {
  readonly type: number;
  /** What follows the request id; empty for DATA. */
  readonly body: Buffer;
  /** The content of DATA as slices of the received buffers, without a copy. */
  readonly pieces: readonly Uint8Array[];
}

export interface ReplyListener {
  reply(id: number, reply: Reply): void;
  /** The stream can no longer be parsed. */
  broken(why: string): void;
}

const NOTHING = Buffer.alloc(0);
const SMALL_BYTES = 4 * 1024;
const GATHER_BYTES = 32 * 1024;
const HEAD_BYTES = 9; // length, type, id
const DATA_HEAD_BYTES = HEAD_BYTES + 4; // and the length of the content

/** Parses a stream of packets as it arrives. */
export function createReplies(listener: ReplyListener): (bytes: Buffer) => void {
  const head = Buffer.alloc(DATA_HEAD_BYTES);
  let head_bytes = 0;
  let left_bytes = 0;
  let parts: Buffer[] = [];
  let is_broken = false;
  let room = NOTHING;
  let gathered = 0;

  const type = () => head.readUInt8(4);
  const wanted = () => (head_bytes > 4 && type() === DATA ? DATA_HEAD_BYTES : HEAD_BYTES);
  function breakOff(why: string): void {
    is_broken = true;
    parts = [];
    listener.broken(why);
  }
  function begin(): void {
    const length = head.readUInt32BE(0);
    left_bytes = length + 4 - wanted();
    if (left_bytes < 0 || length > MAX_PACKET_BYTES) breakOff(`A packet of ${length} bytes`);
    else if (type() === DATA && head.readUInt32BE(HEAD_BYTES) !== left_bytes)
      breakOff('DATA of the wrong length');
    else if (left_bytes === 0) finish();
  }
  function finish(): void {
    const [id, received, kind] = [head.readUInt32BE(5), parts, type()];
    head_bytes = 0;
    parts = [];
    if (kind === DATA) listener.reply(id, { type: kind, body: NOTHING, pieces: received });
    else listener.reply(id, { type: kind, body: joined(received), pieces: [] });
  }

  /** Like `takePart`, returns the number of bytes consumed. */
  function takeHead(bytes: Buffer): number {
    const taken = bytes.copy(head, head_bytes, 0, Math.min(wanted() - head_bytes, bytes.length));
    head_bytes += taken;
    if (head_bytes === wanted()) begin();
    return taken;
  }
  function takePart(bytes: Buffer): number {
    const part = bytes.subarray(0, left_bytes);
    left_bytes -= part.length;
    if (part.length < SMALL_BYTES) gather(part);
    else parts.push(part.length * 2 < part.buffer.byteLength ? Buffer.from(part) : part); // a slice would keep the whole buffer alive
    if (left_bytes === 0) finish();
    return part.length;
  }
  /** Small parts share a buffer: a host may send every byte in its own packet. */
  function gather(part: Buffer): void {
    if (gathered + part.length > room.length || parts.at(-1)?.buffer !== room.buffer) {
      room = Buffer.from(new ArrayBuffer(Math.min(part.length + left_bytes, GATHER_BYTES)));
      gathered = 0;
      parts.push(room.subarray(0, 0));
    }
    room.set(part, gathered);
    gathered += part.length;
    parts.splice(-1, 1, room.subarray(0, gathered));
  }
  return (bytes) => {
    for (let at = 0; at < bytes.length && !is_broken; ) {
      const rest = at === 0 ? bytes : bytes.subarray(at);
      at += head_bytes < wanted() ? takeHead(rest) : takePart(rest);
    }
  };
}

function joined(parts: readonly Buffer[]): Buffer {
  const [first, ...others] = parts;
  return first && others.length === 0 ? first : Buffer.concat(parts);
}
