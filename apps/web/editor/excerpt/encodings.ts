/** Labels of `TextDecoder` that are offered, besides the guessed one. */
export const ENCODINGS = [
  'utf-8',
  'windows-1252',
  'iso-8859-2',
  'iso-8859-15',
  'windows-1250',
  'windows-1251',
  'koi8-r',
  'iso-8859-7',
  'utf-16le',
  'utf-16be',
  'shift_jis',
  'euc-jp',
  'gb18030',
  'big5',
  'euc-kr',
] as const;
export type Encoding = (typeof ENCODINGS)[number];

const PROBE_BYTES = 8 * 1024;
const CUT_BYTES = 3; // of a character of UTF-8 at either end

/** Undefined for bytes that are no text. */
export function guessEncoding(bytes: Uint8Array, offset: number): Encoding | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const probe = bytes.subarray(0, PROBE_BYTES);
  if (probe.includes(0)) return guessWide(probe);
  return isUtf8(bytes, offset) ? 'utf-8' : 'windows-1252';
}

/** Western text in UTF-16 has a zero in every other byte. */
function guessWide(probe: Uint8Array): Encoding | undefined {
  const zeros = [0, 0];
  probe.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  const most = probe.length / 2;
  if (odd > 0.8 * most && even < 0.05 * most) return 'utf-16le';
  return even > 0.8 * most && odd < 0.05 * most ? 'utf-16be' : undefined;
}

/** A character may be cut at the end, and at the start of a later part. */
function isUtf8(bytes: Uint8Array, offset: number): boolean {
  const start = offset > 0 ? startOfCharacter(bytes) : 0;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(start), { stream: true });
    return true;
  } catch {
    return false;
  }
}

function startOfCharacter(bytes: Uint8Array): number {
  let start = 0;
  while (start < CUT_BYTES && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return start;
}

/** Decodes the part of a file that begins at `offset`; what is no character becomes U+FFFD. */
export function decodePart(bytes: Uint8Array, encoding: Encoding, offset: number): string {
  const odd = encoding.startsWith('utf-16') ? offset % 2 : 0;
  const start = offset > 0 && encoding === 'utf-8' ? startOfCharacter(bytes) : odd;
  return new TextDecoder(encoding).decode(bytes.subarray(start), { stream: true }); // a character may be cut at the end
}
