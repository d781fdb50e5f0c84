import { crc32 } from 'node:zlib';
import { isUtf8, nameFromBytes, namesFromBytes } from '#core/lib/path-bytes.ts';

const IS_UTF8 = 1 << 11; // APPNOTE 4.4.4
const EXTRA_UNICODE_PATH = 0x7075;

// 0x80 to 0xff of IBM's code page 437.
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

export interface StoredName {
  readonly raw: Buffer;
  readonly flags: number;
  readonly is_unix: boolean;
  readonly extras: ReadonlyMap<number, Buffer>;
}

/** Many programs write UTF-8 without saying so; on Unix the name of a file is any bytes, elsewhere it was code page 437. */
export function decodeName({ raw, flags, is_unix, extras }: StoredName): string {
  const names = namesFromBytes(raw);
  if (isUtf8(names)) return names;
  const unicode = unicodePath(raw, extras.get(EXTRA_UNICODE_PATH));
  if (unicode !== undefined) return unicode;
  if (is_unix || (flags & IS_UTF8) !== 0) return names;
  return Array.from(raw, (byte) =>
    byte < 0x80 ? String.fromCharCode(byte) : (CP437[byte - 0x80] ?? ''),
  ).join('');
}

/** APPNOTE 4.6.9: counts only while the plain name is the one it was made for. */
function unicodePath(raw: Buffer, extra: Buffer | undefined): string | undefined {
  if (!extra || extra.length < 5 || extra[0] !== 1 || extra.readUInt32LE(1) !== crc32(raw)) return undefined;
  const name = nameFromBytes(extra.subarray(5));
  return isUtf8(name) ? name : undefined;
}
