import { toBase64 } from '../../lib/bytes/bytes.ts';
import { createGiveWay } from '../../lib/concurrency/give-way.ts';

const BYTES_AT_ONCE = 48 * 1024; // a multiple of three, so that only the last chunk is padded
const CHARACTERS_AT_ONCE = (BYTES_AT_ONCE / 3) * 4;

/** Base64 of many megabytes without blocking the event loop. */
export async function toBase64InChunks(bytes: Uint8Array): Promise<string> {
  const giveWay = createGiveWay();
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    await giveWay();
    pieces.push(toBase64(bytes.subarray(at, at + BYTES_AT_ONCE)));
  }
  return pieces.join('');
}

/** Undefined unless the text is canonical base64. */
export async function fromBase64InChunks(text: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.length - text.replace(/={1,2}$/, '').length;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  const giveWay = createGiveWay();
  for (let at = 0; at < text.length; at += CHARACTERS_AT_ONCE) {
    await giveWay();
    const piece = text.slice(at, at + CHARACTERS_AT_ONCE);
    const is_last = at + CHARACTERS_AT_ONCE >= text.length;
    if (!(is_last ? LAST_PIECE : PIECE).test(piece)) return undefined;
    const start = (at / 4) * 3;
    put(atob(piece), bytes, start);
    if (is_last && toBase64(bytes.subarray(start)) !== piece) return undefined;
  }
  return bytes;
}

const PIECE = /^[A-Za-z0-9+/]+$/;
const LAST_PIECE = /^[A-Za-z0-9+/]+={0,2}$/;

function put(binary: string, bytes: Uint8Array, start: number): void {
  for (let i = 0; i < binary.length; i += 1) bytes[start + i] = binary.charCodeAt(i);
}
