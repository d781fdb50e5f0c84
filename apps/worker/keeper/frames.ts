/** A frame is: length of the rest (u32), kind (u8), shell (u32; 0 for none), payload. All numbers are big-endian. */
export const FRAME_KINDS = { control: 1, data: 2, ack: 3 } as const;

export interface Frame {
  readonly kind: number;
  readonly shell: number;
  readonly payload: Buffer;
}

export const MAX_DATA_BYTES = 64 * 1024;
const MAX_PAYLOAD_BYTES = 512 * 1024; // a target with two keys on each hop, or the marks of a recording
const LENGTH_BYTES = 4;
const HEAD_BYTES = LENGTH_BYTES + 5;

/** The peer does not speak this protocol; its connection is dropped. */
export class BadFrame extends Error {
  override name = 'BadFrame';
}

export function encodeFrame(kind: number, shell: number, payload: Uint8Array): Buffer {
  if (payload.length > MAX_PAYLOAD_BYTES)
    throw new BadFrame(`A frame of ${payload.length} bytes is too long`);
  const frame = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
  frame.writeUInt32BE(HEAD_BYTES - LENGTH_BYTES + payload.length, 0);
  frame.writeUInt8(kind, LENGTH_BYTES);
  frame.writeUInt32BE(shell, LENGTH_BYTES + 1);
  frame.set(payload, HEAD_BYTES);
  return frame;
}

export function encodeAck(shell: number, bytes: number): Buffer {
  const payload = Buffer.allocUnsafe(4);
  payload.writeUInt32BE(bytes);
  return encodeFrame(FRAME_KINDS.ack, shell, payload);
}

/** Throws `BadFrame`. */
export function decodeAck({ payload }: Frame): number {
  if (payload.length !== 4) throw new BadFrame('An acknowledgement has four bytes');
  return payload.readUInt32BE();
}

/** Cuts a stream into frames; throws `BadFrame` before it buffers one that is too long. */
export function createFrameReader(): (chunk: Buffer) => Frame[] {
  let pieces: Buffer[] = [];
  let length = 0;
  let wanted = HEAD_BYTES;

  function joined(): Buffer {
    const [only] = pieces;
    return only && pieces.length === 1 ? only : Buffer.concat(pieces, length);
  }

  return (chunk) => {
    if (length === 0 && isOneFrame(chunk)) return [frameAt(chunk, 0, chunk.length)]; // a key, or its echo
    pieces.push(chunk);
    length += chunk.length;
    if (length < wanted) return []; // joining the pieces of a long frame each time would be quadratic
    const bytes = joined();
    const frames: Frame[] = [];
    let at = 0;
    wanted = HEAD_BYTES;
    while (bytes.length - at >= HEAD_BYTES) {
      wanted = LENGTH_BYTES + lengthAt(bytes, at);
      if (bytes.length - at < wanted) break;
      frames.push(frameAt(bytes, at, wanted));
      at += wanted;
      wanted = HEAD_BYTES;
    }
    length = bytes.length - at;
    pieces = length > 0 ? [bytes.subarray(at)] : [];
    return frames;
  };
}

function isOneFrame(chunk: Buffer): boolean {
  return chunk.length >= HEAD_BYTES && LENGTH_BYTES + lengthAt(chunk, 0) === chunk.length;
}

function lengthAt(bytes: Buffer, at: number): number {
  const length = bytes.readUInt32BE(at);
  const is_valid = length >= HEAD_BYTES - LENGTH_BYTES && length <= MAX_PAYLOAD_BYTES + HEAD_BYTES;
  if (!is_valid) throw new BadFrame(`A frame cannot have ${length} bytes`);
  return length;
}

function frameAt(bytes: Buffer, at: number, size: number): Frame {
  return {
    kind: bytes.readUInt8(at + LENGTH_BYTES),
    shell: bytes.readUInt32BE(at + LENGTH_BYTES + 1),
    payload: bytes.subarray(at + HEAD_BYTES, at + size),
  };
}
