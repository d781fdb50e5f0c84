import { createDecipheriv, timingSafeEqual } from 'node:crypto';

export const CHACHA_KEY_BYTES = 64; // the second half encrypts lengths of packets, which a file has none of
const HALF_BYTES = 32;
const COUNTER_BYTES = 16; // with the nonce: the number of the packet, which is 0
const BLOCK_BYTES = 16;
const PRIME = 2n ** 130n - 5n;
const CLAMP = 0x0ffffffc0ffffffc0ffffffc0fffffffn;

/** Decrypts `chacha20-poly1305@openssh.com` (OpenSSH's PROTOCOL.chacha20poly1305); undefined when the tag does not fit. */
export function decryptChacha(bytes: Buffer, tag: Buffer, key: Buffer): Buffer | undefined {
  const stream = key.subarray(0, HALF_BYTES);
  const one_time_key = chacha20(stream, 0, Buffer.alloc(HALF_BYTES));
  const is_right = tag.length === BLOCK_BYTES && timingSafeEqual(poly1305(bytes, one_time_key), tag);
  return is_right ? chacha20(stream, 1, bytes) : undefined;
}

function chacha20(key: Buffer, counter: number, bytes: Buffer): Buffer {
  const start = Buffer.alloc(COUNTER_BYTES);
  start[0] = counter;
  return createDecipheriv('chacha20', key, start).update(bytes);
}

/** RFC 8439 §2.5, which Node offers only together with another framing. */
function poly1305(bytes: Buffer, key: Buffer): Buffer {
  const r = fromLittleEndian(key.subarray(0, BLOCK_BYTES)) & CLAMP;
  let sum = 0n;
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const block = Buffer.concat([bytes.subarray(at, at + BLOCK_BYTES), Buffer.of(1)]);
    sum = ((sum + fromLittleEndian(block)) * r) % PRIME;
  }
  const total = sum + fromLittleEndian(key.subarray(BLOCK_BYTES));
  return Buffer.from((total % 2n ** 128n).toString(16).padStart(2 * BLOCK_BYTES, '0'), 'hex').reverse();
}

function fromLittleEndian(bytes: Buffer): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}
