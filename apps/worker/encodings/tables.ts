import { inflateRawSync } from 'node:zlib';
import type { EncodingName } from '#core/lib/text/encodings.ts';
import { DOUBLE, DOUBLE_OTHERS, QUADS, SINGLE, TRIPLE } from './tables.gen.ts';

const NO_CHARACTER = '\ufffd';
const FIRST_SUPPLEMENTARY_POINTER = 189_000; // gb18030
const BASIC_POINTERS = 39_420;

/** What the bytes of an encoding mean. Bytes below 0x80 are ASCII. */
export interface Table {
  /** Bytes from 0x80 that are characters alone. */
  readonly single: ReadonlyMap<number, string>;
  /** By lead byte and trail byte. */
  double(lead: number, trail: number): string | undefined;
  isLead(byte: number): boolean;
  /** All pairs, in the order of their bytes. */
  doubles(): Iterable<readonly [number, string]>;
}

const LEADS: Readonly<Record<string, (byte: number) => boolean>> = {
  gbk: (byte) => byte >= 0x81 && byte <= 0xfe,
  gb18030: (byte) => byte >= 0x81 && byte <= 0xfe,
  big5: (byte) => byte >= 0x81 && byte <= 0xfe,
  'euc-kr': (byte) => byte >= 0x81 && byte <= 0xfe,
  'euc-jp': (byte) => byte === 0x8e || byte === 0x8f || (byte >= 0xa1 && byte <= 0xfe),
  shift_jis: (byte) => (byte >= 0x81 && byte <= 0x9f) || (byte >= 0xe0 && byte <= 0xfc),
};

/** Built on first use, which takes milliseconds. */
const tables = new Map<string, Table>();

export function tableOf(name: EncodingName): Table {
  const known = tables.get(name);
  if (known) return known;
  const built = build(name);
  tables.set(name, built);
  return built;
}

function build(name: EncodingName): Table {
  const double_name = name === 'gbk' ? 'gb18030' : name; // the same pairs
  const packed = DOUBLE[double_name];
  const codes = packed === undefined ? new Uint16Array(0) : inflated(packed);
  const others = new Map(DOUBLE_OTHERS[double_name]);
  const at = (index: number) => {
    const code = codes[index] ?? 0;
    return code > 0 ? String.fromCharCode(code) : others.get(index);
  };
  return {
    single: singleOf(name),
    isLead: LEADS[name] ?? (() => false),
    double: (lead, trail) => at(((lead - 0x80) << 8) | trail),
    *doubles() {
      for (let index = 0; index < codes.length; index += 1) {
        const text = at(index);
        if (text !== undefined) yield [index + 0x8000, text];
      }
    },
  };
}

function singleOf(name: EncodingName): Map<number, string> {
  const characters = [...(SINGLE[name] ?? '')].map((text, at) => [at + 0x80, text] as const);
  return new Map(characters.filter(([, text]) => text !== NO_CHARACTER));
}

function inflated(packed: string): Uint16Array {
  const bytes = inflateRawSync(Buffer.from(packed, 'base64'));
  const codes = new Uint16Array(bytes.length / 2);
  let before = 0;
  for (let at = 0; at < codes.length; at += 1) {
    const delta = bytes.readUInt16LE(2 * at);
    if (delta === 0) continue;
    before = (before + delta) & 0xffff;
    codes[at] = before;
  }
  return codes;
}

let triples: Uint16Array | undefined;

/** JIS X 0212, after 0x8f in EUC-JP. */
export function tripleOf(second: number, third: number): string | undefined {
  triples ??= inflated(TRIPLE);
  const code = triples[((second - 0x80) << 8) | third] ?? 0;
  return code > 0 ? String.fromCharCode(code) : undefined;
}

/** The characters of the Basic Multilingual Plane that four bytes of gb18030 mean, and the way back. */
interface Quads {
  /** By pointer; 0 for none. */
  readonly codes: Uint16Array;
  /** By code, one more than the pointer; 0 for none. */
  readonly pointers: Uint16Array;
}

let all_quads: Quads | undefined;

/** Spelled out on first use: a search for each character would let one paste hold up every terminal. */
function quads(): Quads {
  all_quads ??= spelledOut();
  return all_quads;
}

function spelledOut(): Quads {
  const codes = new Uint16Array(BASIC_POINTERS);
  const pointers = new Uint16Array(0x1_0000);
  for (const [at, [start, first]] of QUADS.entries()) {
    const end = QUADS[at + 1]?.[0] ?? BASIC_POINTERS;
    if (first < 0) continue;
    for (let pointer = start; pointer < end; pointer += 1) {
      codes[pointer] = first + pointer - start;
      pointers[first + pointer - start] = pointer + 1;
    }
  }
  return { codes, pointers };
}

/** The character that four bytes of gb18030 mean. */
export function quadOf([first = 0, second = 0, third = 0, fourth = 0]: readonly number[]):
  | string
  | undefined {
  const pointer = (((first - 0x81) * 10 + (second - 0x30)) * 126 + (third - 0x81)) * 10 + (fourth - 0x30);
  const beyond = pointer - FIRST_SUPPLEMENTARY_POINTER;
  if (beyond >= 0) return beyond < 0x10_0000 ? String.fromCodePoint(0x1_0000 + beyond) : undefined;
  const code = quads().codes[pointer] ?? 0;
  return code > 0 ? String.fromCharCode(code) : undefined;
}

/** The four bytes that mean a character in gb18030. */
export function quadFor(code: number): readonly number[] | undefined {
  if (code > 0xffff) return bytesOf(FIRST_SUPPLEMENTARY_POINTER + code - 0x1_0000);
  const pointer = quads().pointers[code] ?? 0;
  return pointer > 0 ? bytesOf(pointer - 1) : undefined;
}

function bytesOf(pointer: number): readonly number[] {
  return [
    Math.floor(pointer / 12_600) + 0x81,
    (Math.floor(pointer / 1260) % 10) + 0x30,
    (Math.floor(pointer / 10) % 126) + 0x81,
    (pointer % 10) + 0x30,
  ];
}
