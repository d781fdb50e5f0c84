import { DATA, MAX_PACKET_BYTES } from './wire.ts';

export interface Reply {
  readonly type: number;
  /** What follows the request id; empty for DATA. */
  readonly body: Buffer;
  /** The content of DATA: what has been written into the request's room, or slices of the received buffers. */
  readonly pieces: readonly Uint8Array[];
}

export interface ReplyListener {
  /** Where the content of DATA for this request goes; without it, or if it is too small, the reply has slices. */
  roomFor(id: number): Uint8Array | undefined;
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
  let shared = NOTHING;
  let gathered = 0;
  let target: Uint8Array | undefined;
  let target_bytes = 0;

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
    else {
      aim();
      if (left_bytes === 0) finish();
    }
  }
  function aim(): void {
    const room = type() === DATA ? listener.roomFor(head.readUInt32BE(5)) : undefined;
    target = room && room.length >= left_bytes ? room : undefined;
    target_bytes = 0;
  }
  function finish(): void {
    const received = target ? [target.subarray(0, target_bytes)] : parts;
    const [id, kind] = [head.readUInt32BE(5), type()];
    head_bytes = 0;
    parts = [];
    target = undefined;
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
    if (target) copyTo(target, part);
    else if (part.length < SMALL_BYTES) gather(part);
    else parts.push(part.length * 2 < part.buffer.byteLength ? Buffer.from(part) : part); // a slice would keep the whole buffer alive
    if (left_bytes === 0) finish();
    return part.length;
  }
  function copyTo(room: Uint8Array, part: Buffer): void {
    part.copy(room, target_bytes);
    target_bytes += part.length;
  }
  /** Small parts share a buffer: a host may send every byte in its own packet. */
  function gather(part: Buffer): void {
    if (gathered + part.length > shared.length || parts.at(-1)?.buffer !== shared.buffer) {
      shared = Buffer.from(new ArrayBuffer(Math.min(part.length + left_bytes, GATHER_BYTES)));
      gathered = 0;
      parts.push(shared.subarray(0, 0));
    }
    shared.set(part, gathered);
    gathered += part.length;
    parts.splice(-1, 1, shared.subarray(0, gathered));
  }
  return (bytes) => {
    for (let at = 0; at < bytes.length && !is_broken; ) {
      const rest = at === 0 ? bytes : bytes.subarray(at);
      at += head_bytes < wanted() ? takeHead(rest) : takePart(rest);
    }
  };
}

function joined(parts: readonly Uint8Array[]): Buffer {
  const [first, ...others] = parts;
  return Buffer.isBuffer(first) && others.length === 0 ? first : Buffer.concat(parts);
}
