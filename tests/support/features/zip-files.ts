import { crc32, deflateRawSync } from 'node:zlib';

/** One member; what is given wins over what is true, so that an archive can lie. */
export interface ZipInputMember {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  /** Deflated by default. */
  readonly method?: number;
  readonly mode?: number;
  /** 3 is Unix, 0 is DOS. */
  readonly made_by?: number;
  readonly flags?: number;
  readonly modified?: Date;
  readonly size?: number;
  readonly packed_size?: number;
  readonly crc?: number;
  readonly zip64?: boolean;
  /** An Info-ZIP Unicode Path field; `of` is the plain name that it counts for. */
  readonly unicode_path?: { readonly name: string; readonly of?: string };
  /** Differs from the central directory. */
  readonly local?: { readonly name?: string; readonly size?: number };
  /** Where its local header is, when it has none of its own. */
  readonly offset?: number;
}

const u16 = (value: number) => Buffer.from(Uint16Array.of(value).buffer);
const u32 = (value: number) => Buffer.from(Uint32Array.of(value >>> 0).buffer);
const u64 = (value: number) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const FULL = 0xffff_ffff;

/** A small ZIP writer (PKWARE APPNOTE 4.3) that also writes what no program should. */
export function zipOf(members: readonly ZipInputMember[]): Buffer {
  const bodies: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const member of members) {
    const { local, packed, header } = encoded(member);
    central.push(header(member.offset ?? at));
    if (member.offset !== undefined) continue;
    bodies.push(local, packed);
    at += local.length + packed.length;
  }
  return Buffer.concat([...bodies, endOf(Buffer.concat(central), { at, count: members.length })]);
}

/** The central directory, with ZIP64 records, of members that lie elsewhere; `times` repeats it. */
export function centralOf(members: readonly ZipInputMember[], at: number, times = 1): Buffer {
  const headers = Buffer.concat(members.map((member) => encoded(member).header(member.offset ?? 0)));
  const central = Buffer.alloc(headers.length * times, headers);
  return endOf(central, { at, count: members.length * times, zip64: true });
}

export function localOf(member: ZipInputMember): Buffer {
  const { local, packed } = encoded(member);
  return Buffer.concat([local, packed]);
}

function encoded(member: ZipInputMember) {
  const { name, content = '', method = 8, mode, made_by = 3, flags = 0, zip64 = false } = member;
  const raw = Buffer.from(content);
  const packed = method === 8 ? deflateRawSync(raw) : raw;
  const size = member.size ?? raw.length;
  const packed_size = member.packed_size ?? packed.length;
  const when = member.modified ?? new Date('2024-05-06T07:08:10Z');
  const head = (local_size: number) =>
    Buffer.concat([
      ...[u16(flags), u16(method), dosTime(when), u32(member.crc ?? crc32(raw))],
      ...(zip64 ? [u32(FULL), u32(FULL)] : [u32(packed_size), u32(local_size)]),
    ]);
  const unicodePath = () => {
    if (!member.unicode_path) return Buffer.alloc(0);
    const path = Buffer.from(member.unicode_path.name);
    const sum = u32(crc32(Buffer.from(member.unicode_path.of ?? name)));
    return Buffer.concat([u16(0x7075), u16(5 + path.length), Buffer.of(1), sum, path]);
  };
  const extraFor = (offset?: number) => {
    if (!zip64) return unicodePath();
    const fields = [u64(size), u64(packed_size), ...(offset === undefined ? [] : [u64(offset)])];
    return Buffer.concat([u16(1), u16(fields.length * 8), ...fields]);
  };
  const spelled = Buffer.from(name);
  const local_name = Buffer.from(member.local?.name ?? spelled);
  const local = Buffer.concat([
    ...[u32(0x04034b50), u16(45), head(member.local?.size ?? size)],
    ...[u16(local_name.length), u16(extraFor().length), local_name, extraFor()],
  ]);
  const header = (offset: number) => {
    const extra = extraFor(offset);
    return Buffer.concat([
      ...[u32(0x02014b50), u16((made_by << 8) | 45), u16(45), head(size)],
      ...[u16(spelled.length), u16(extra.length), u16(0), u16(0), u16(0)],
      ...[u32((mode ?? 0) * 0x1_0000), u32(zip64 ? FULL : offset), spelled, extra],
    ]);
  };
  return { local, packed, header };
}

function dosTime(when: Date): Buffer {
  const time = (when.getUTCHours() << 11) | (when.getUTCMinutes() << 5) | (when.getUTCSeconds() >> 1);
  const date = ((when.getUTCFullYear() - 1980) << 9) | ((when.getUTCMonth() + 1) << 5) | when.getUTCDate();
  return Buffer.concat([u16(time), u16(date)]);
}

function endOf(
  central: Buffer,
  { at, count, zip64 = false }: { at: number; count: number; zip64?: boolean },
): Buffer {
  const end64 = Buffer.concat([
    ...[u32(0x06064b50), u64(44), u16(45), u16(45), u32(0), u32(0)],
    ...[u64(count), u64(count), u64(central.length), u64(at)],
  ]);
  const locator = Buffer.concat([u32(0x07064b50), u32(0), u64(at + central.length), u32(1)]);
  const counts = zip64 ? [u16(0xffff), u16(0xffff), u32(FULL), u32(FULL)] : [];
  const plain = [u16(count % 65_536), u16(count % 65_536), u32(central.length), u32(at)];
  return Buffer.concat([
    central,
    ...(zip64 ? [end64, locator] : []),
    ...[u32(0x06054b50), u16(0), u16(0), ...(zip64 ? counts : plain), u16(0)],
  ]);
}
