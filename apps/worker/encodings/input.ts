import type { EncodingName } from '#core/lib/text/encodings.ts';
import { incompleteFrom } from '../threads/utf8.mjs';
import { encodeText } from './encoders.ts';

const MOUSE_REPORT = '\x1b[M';
const MOUSE_BYTES = MOUSE_REPORT.length + 3;

/** Encodes what a member types, which is UTF-8. A split character is held back, and mouse reports pass as they are. */
export function createInput(name: EncodingName): (bytes: Uint8Array) => Uint8Array {
  let held = Buffer.alloc(0);
  return (bytes) => {
    if (held.length === 0 && bytes.every((byte) => byte < 0x80)) return bytes;
    const all = Buffer.concat([held, bytes]);
    const parts: Uint8Array[] = [];
    let at = 0;
    for (let report = mouseReport(all, at); report >= 0; report = mouseReport(all, at)) {
      if (report > at) parts.push(encoded(name, all.subarray(at, report)));
      at = report + MOUSE_BYTES;
      parts.push(all.subarray(report, at));
    }
    const end = at + incompleteFrom(all.subarray(at));
    held = Buffer.from(all.subarray(end));
    return Buffer.concat([...parts, encoded(name, all.subarray(at, end))]);
  };
}

/** Where the next report of a program's first kind of mouse tracking is: its coordinates are bytes, not characters. */
function mouseReport(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(MOUSE_REPORT, from, 'latin1');
  return at + MOUSE_BYTES <= bytes.length ? at : -1;
}

function encoded(name: EncodingName, bytes: Buffer): Uint8Array {
  return encodeText(name, bytes.toString());
}
