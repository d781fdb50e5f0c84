// @ts-check

/**
 * Where an incomplete last character starts, else the length.
 * @param {Uint8Array} bytes
 */
export function incompleteFrom(bytes) {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    return lengthOf(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/**
 * The length of a character by its first byte.
 * @param {number} lead
 */
function lengthOf(lead) {
  if (lead < 0xc2 || lead > 0xf4) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
