import { Fault } from '../../errors.ts';
import { utf8 } from '../bytes/bytes.ts';

/**
 * Names on a host are bytes. A name that is UTF-8 is its text. Any other name is ASCII and U+DC80 to U+DCFF for its bytes
 * from 0x80 on, which no UTF-8 decodes to. A path with such a name is spelled `bytes:/caf%E9`: a path starts with a slash,
 * so no other path looks like it. Every name and every path has exactly one spelling, so comparing text compares bytes.
 */
const PREFIX = 'bytes:';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const SAFE = /^[\w.~-]*$/;
const SPELLED = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return SAFE.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
});
const SPELLED_UNITS = SPELLED.map((text) => Array.from(text, (character) => character.charCodeAt(0)));
const UNITS_AT_ONCE = 8192; // arguments of one call

export function isUtf8(names: string): boolean {
  return names.isWellFormed();
}

export function nameFromBytes(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  // No exception, which would be slow: a host may send a million such names.
  if (!text.includes('\ufffd') || isSame(utf8(text), bytes)) return text;
  return textOfUnits(Uint16Array.from(bytes, (byte) => (byte < 0x80 ? byte : 0xdc00 + byte)));
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
}

/** At once: text that grows by characters takes a hundred times as long. */
function textOfUnits(units: Uint16Array): string {
  if (units.length <= UNITS_AT_ONCE) return String.fromCharCode(...units);
  return (
    String.fromCharCode(...units.subarray(0, UNITS_AT_ONCE)) + textOfUnits(units.subarray(UNITS_AT_ONCE))
  );
}

function nameToBytes(name: string): Uint8Array {
  return isUtf8(name) ? utf8(name) : lowBytesOf(name);
}

function lowBytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at); // modulo 256
  return bytes;
}

/** Names joined with slashes, as in the target of a link. */
export function namesFromBytes(bytes: Uint8Array): string {
  const whole = nameFromBytes(bytes);
  if (isUtf8(whole)) return whole;
  let at = 0;
  return whole
    .split('/')
    .map(({ length }) => {
      at += length + 1;
      return nameFromBytes(bytes.subarray(at - length - 1, at - 1));
    })
    .join('/');
}

export function namesToBytes(names: string): Uint8Array {
  if (isUtf8(names) || !names.includes('/')) return nameToBytes(names);
  return Uint8Array.from(names.split('/').flatMap((name) => [0x2f, ...nameToBytes(name)])).subarray(1);
}

/** Names for people: with U+FFFD for what is not UTF-8. Several names may look the same. */
export function readable(names: string): string {
  return isUtf8(names) ? names : decoder.decode(namesToBytes(names));
}

/** Names of files elsewhere, such as in an archive: with `%E9` for what is not UTF-8. */
export function portable(names: string): string {
  return names.replaceAll(/[\udc80-\udcff]/gu, (byte) => SPELLED[byte.charCodeAt(0) & 0xff] ?? byte);
}

/** The names of a path. Throws `invalid_path` for a wrong escape, and for an escaped slash. */
export function namesOf(path: string): string {
  return isInBytes(path) ? path.slice(PREFIX.length).split('/').map(unescaped).join('/') : path;
}

export function pathOf(names: string): string {
  if (isUtf8(names) && !isInBytes(names)) return names;
  return PREFIX + names.split('/').map(escaped).join('/');
}

export function isInBytes(path: string): boolean {
  return path.startsWith(PREFIX);
}

export function escaped(name: string): string {
  if (SAFE.test(name)) return name;
  const bytes = nameToBytes(name);
  const units = new Uint16Array(3 * bytes.length);
  let length = 0;
  for (const byte of bytes) for (const unit of SPELLED_UNITS[byte] ?? []) units[length++] = unit;
  return textOfUnits(units.subarray(0, length));
}

export function unescaped(text: string): string {
  const ascii = text.replaceAll(/\P{ASCII}+/gu, encodeURIComponent);
  if (/%(?![\da-f]{2})/i.test(ascii))
    throw new Fault('invalid_path', 'A `%` in the path is not followed by two hexadecimal digits');
  const units = ascii.replaceAll(/%(..)/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  const name = nameFromBytes(lowBytesOf(units));
  if (name.includes('/')) throw new Fault('invalid_path', 'A name in the path contains a slash');
  return name;
}
