import type { EncodingName } from '#core/lib/text/encodings.ts';
import type { Decoder } from './decoder.ts';
import { createIso2022JpDecoder } from './iso-2022-jp.ts';
import { quadOf, tableOf, tripleOf } from './tables.ts';

const WRONG = '\ufffd';

export function createDecoder(name: EncodingName): Decoder {
  if (name === 'utf-16le' || name === 'utf-16be') return createWideDecoder(name);
  return name === 'iso-2022-jp' ? createIso2022JpDecoder() : createTableDecoder(name);
}

function createWideDecoder(name: 'utf-16le' | 'utf-16be'): Decoder {
  const decoder = new TextDecoder(name, { ignoreBOM: true });
  return { take: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
}

/** Escape sequences are ASCII, and survive: a byte of ASCII is never swallowed by a lead byte that it cannot follow. */
function createTableDecoder(name: EncodingName): Decoder {
  const table = tableOf(name);
  const has_quads = name === 'gb18030' || name === 'gbk';
  let held: number[] = [];

  function begin(byte: number): string {
    if (byte < 0x80) return String.fromCharCode(byte);
    const single = table.single.get(byte);
    if (single !== undefined) return single;
    if (!table.isLead(byte)) return WRONG;
    held = [byte];
    return '';
  }

  /** Drops the first of these bytes, and reads the others again. */
  function retry(...bytes: number[]): string {
    held = [];
    return WRONG + bytes.slice(1).map(next).join('');
  }

  function second(lead: number, byte: number): string {
    const is_more =
      (has_quads && byte >= 0x30 && byte <= 0x39) ||
      (name === 'euc-jp' && lead === 0x8f && byte >= 0xa1 && byte <= 0xfe);
    if (is_more) {
      held.push(byte);
      return '';
    }
    const pair = table.double(lead, byte);
    if (pair === undefined && byte < 0x80) return retry(lead, byte);
    held = [];
    return pair ?? WRONG;
  }

  function third([first = 0, before = 0]: readonly number[], byte: number): string {
    if (has_quads) {
      if (byte < 0x81 || byte > 0xfe) return retry(first, before, byte);
      held.push(byte);
      return '';
    }
    const character = tripleOf(before, byte);
    if (character === undefined && byte < 0x80) return retry(first, byte);
    held = [];
    return character ?? WRONG;
  }

  function fourth(before: readonly number[], byte: number): string {
    if (byte < 0x30 || byte > 0x39) return retry(...before, byte);
    held = [];
    return quadOf([...before, byte]) ?? WRONG;
  }

  function next(byte: number): string {
    const [lead = 0] = held;
    if (held.length === 0) return begin(byte);
    if (held.length === 1) return second(lead, byte);
    return held.length === 2 ? third(held, byte) : fourth(held, byte);
  }

  return {
    take(bytes) {
      if (held.length === 0 && bytes.every((byte) => byte < 0x80))
        return Buffer.from(bytes).toString('latin1');
      let text = '';
      for (const byte of bytes) text += next(byte);
      return text;
    },
    end() {
      const rest = held.length > 0 ? WRONG : '';
      held = [];
      return rest;
    },
  };
}
