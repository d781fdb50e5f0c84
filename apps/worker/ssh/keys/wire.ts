export interface WireReader {
  uint32(): number;
  string(): Buffer;
  left(): number;
}

/** Reads the data types of RFC 4251 §5 in order; throws when the bytes end too early. */
export function readWire(bytes: Buffer): WireReader {
  let at = 0;
  const take = (length: number) => {
    if (length > bytes.length - at) throw new RangeError('Cut off');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const uint32 = () => take(4).readUInt32BE();
  return { uint32, string: () => take(uint32()), left: () => bytes.length - at };
}

export function wireUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function wireString(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([wireUint32(bytes.length), bytes]);
}
