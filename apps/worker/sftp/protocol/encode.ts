import { namesOf, namesToBytes } from '#core/lib/paths/path-bytes.ts';
import { ATTR_MODE, ATTR_OWNER, ATTR_SIZE, ATTR_TIMES } from './wire.ts';

/** Attributes that can be set; an owner always has both ids. */
export interface Settable {
  readonly size?: number;
  readonly mode?: number;
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** Seconds. */
  readonly mtime?: number;
  /** `mtime` by default: the protocol sets both or none. Ignored without `mtime`. */
  readonly atime?: number;
}

export function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, index * 4);
  return bytes;
}

export function u64(value: number): Buffer {
  return u32(Math.floor(value / 0x1_0000_0000), value % 0x1_0000_0000);
}

export function text(value: string | Uint8Array): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([u32(bytes.length), bytes]);
}

export function pathBytes(path: string): Uint8Array {
  return namesToBytes(namesOf(path));
}

export function attributes({ size, mode, owner, mtime, atime }: Settable): Buffer {
  const flags =
    (size === undefined ? 0 : ATTR_SIZE) |
    (owner === undefined ? 0 : ATTR_OWNER) |
    (mode === undefined ? 0 : ATTR_MODE) |
    (mtime === undefined ? 0 : ATTR_TIMES);
  return Buffer.concat([
    u32(flags),
    ...(size === undefined ? [] : [u64(size)]),
    ...(owner === undefined ? [] : [u32(owner.uid, owner.gid)]),
    ...(mode === undefined ? [] : [u32(mode)]),
    ...(mtime === undefined ? [] : [u32(atime ?? mtime, mtime)]),
  ]);
}

/** A packet, or its start when `more_bytes` follow. */
export function packet(type: number, fields: readonly Uint8Array[], more_bytes = 0): Buffer {
  const length = fields.reduce((sum, field) => sum + field.length, 1 + more_bytes);
  return Buffer.concat([u32(length), Buffer.of(type), ...fields]);
}
