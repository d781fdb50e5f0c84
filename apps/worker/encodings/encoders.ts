import type { EncodingName } from '#core/lib/text/encodings.ts';
import { quadFor, tableOf } from './tables.ts';

const UNKNOWN = 0x3f; // a question mark, as the standard's fallback
const TO_KANJI = [0x1b, 0x24, 0x42];
const TO_ASCII = [0x1b, 0x28, 0x42];
const HALF_WIDTH = /[\uff61-\uff9f]/;

/** Further characters that the Japanese encodings can say. */
const JAPANESE = new Map([
  [0xa5, 0x5c],
  [0x203e, 0x7e],
]);
const MINUS = { sign: 0x2212, full_width: 0xff0d };

/** Characters of Big5 whose last pair is meant, not the first. */
const LAST_IN_BIG5 = '═╞╡╪十卅';

/** The bytes of one character; what the encoding lacks is a question mark. */
export type Encode = (character: string) => readonly number[];

const encodes = new Map<EncodingName, Encode>();

/** Built on first use. */
export function encodeOf(name: EncodingName): Encode {
  const known = encodes.get(name);
  if (known) return known;
  const built = build(name);
  encodes.set(name, built);
  return built;
}

const MOST_BYTES = 5; // of one UTF-16 unit: a kanji in ISO-2022-JP and the escape sequence before it

/** A whole text. In ISO-2022-JP, it begins and ends in ASCII. */
export function encodeText(name: EncodingName, text: string): Uint8Array {
  const encode = encodeOf(name);
  const has_escapes = name === 'iso-2022-jp';
  const bytes = new Uint8Array(text.length * MOST_BYTES + TO_ASCII.length);
  let length = 0;
  const add = (more: readonly number[]) => {
    for (const byte of more) {
      bytes[length] = byte;
      length += 1;
    }
  };
  let is_kanji = false;
  for (const character of text) {
    const is_half_width = has_escapes && HALF_WIDTH.test(character);
    const each = encode(is_half_width ? character.normalize('NFKC') : character);
    if (has_escapes && each.length > 1 !== is_kanji) {
      add(is_kanji ? TO_ASCII : TO_KANJI);
      is_kanji = !is_kanji;
    }
    add(each);
  }
  if (is_kanji) add(TO_ASCII);
  return bytes.slice(0, length);
}

function build(name: EncodingName): Encode {
  if (name === 'utf-16le' || name === 'utf-16be') return (character) => [...Buffer.from(character)];
  const bytes = name === 'iso-2022-jp' ? kanjiBytes() : bytesIn(name);
  const is_japanese = ['iso-2022-jp', 'euc-jp', 'shift_jis'].includes(name);
  return (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) return [code];
    const found = bytes.get(is_japanese && code === MINUS.sign ? MINUS.full_width : code);
    if (found) return found;
    const japanese = is_japanese ? JAPANESE.get(code) : undefined;
    if (japanese !== undefined) return [japanese];
    return (name === 'gb18030' ? quadFor(code) : undefined) ?? [UNKNOWN];
  };
}

/** The shortest bytes of each character. */
function bytesIn(name: EncodingName): Map<number, readonly number[]> {
  const { single, doubles } = tableOf(name);
  const bytes = new Map<number, readonly number[]>();
  for (const [byte, text] of single) setFirst(bytes, text, [byte]);
  for (const [pair, text] of doubles()) {
    const lead = pair >> 8;
    if (!isWritten(name, lead) || [...text].length > 1) continue;
    if (name === 'big5' && LAST_IN_BIG5.includes(text)) bytes.delete(text.codePointAt(0) ?? 0);
    setFirst(bytes, text, [lead, pair & 0xff]);
  }
  return bytes;
}

function setFirst(bytes: Map<number, readonly number[]>, text: string, found: readonly number[]): void {
  const code = text.codePointAt(0) ?? 0;
  if (!bytes.has(code)) bytes.set(code, found);
}

/** Some pairs are only read: those of HKSCS in Big5, and of NEC's copy of IBM's characters in Shift_JIS. */
function isWritten(name: EncodingName, lead: number): boolean {
  if (name === 'big5') return lead >= 0xa1;
  return name !== 'shift_jis' || (lead !== 0xed && lead !== 0xee);
}

function kanjiBytes(): Map<number, readonly number[]> {
  const kanji = new Map<number, readonly number[]>();
  for (const [code, [lead = 0, trail]] of bytesIn('euc-jp'))
    if (trail !== undefined && lead !== 0x8e) kanji.set(code, [lead & 0x7f, trail & 0x7f]);
  return kanji;
}
