// @ts-check
import { createHash } from 'node:crypto';
import { beat } from '../threads/serve.mjs';
import { parseEvent } from './events.mjs';
import { openSource } from './source.mjs';

const CHUNK_BYTES = 1024 * 1024; // longer than any line
const BEAT_BYTES = 64 * CHUNK_BYTES;
const LINE_FEED = 0x0a;

/**
 * Reads a whole cast, or one byte more than `most_bytes` of it.
 * @param {string} path Or the signed URL of an object.
 * @param {number} [most_bytes]
 * @returns {Promise<import('#core/ports/casts.ts').CastEnd>}
 */
export async function digestOf(path, most_bytes = Number.POSITIVE_INFINITY) {
  const { hash, ...end } = await hashOf(path, most_bytes + 1);
  return { ...end, sha256: hash.digest('hex') };
}

/**
 * Reads a cast up to `max_bytes`.
 * @param {string} path
 * @param {number} max_bytes
 */
export async function hashOf(path, max_bytes) {
  const file = await openSource(path);
  try {
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    let size_bytes = 0;
    for (;;) {
      const wanted = Math.min(CHUNK_BYTES, max_bytes - size_bytes);
      const { bytesRead } = await file.read(buffer, 0, wanted, size_bytes);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
      size_bytes += bytesRead;
      if (size_bytes % BEAT_BYTES < bytesRead) beat();
    }
    const from = Math.max(0, size_bytes - CHUNK_BYTES);
    const duration_s = await lastTime(file, from, buffer.subarray(0, size_bytes - from));
    return { hash, size_bytes, duration_s };
  } finally {
    await file.close();
  }
}

/**
 * The time of the last event on a complete line; 0 without events.
 * @param {import('./source.mjs').Source} file
 * @param {number} from
 * @param {Buffer} buffer
 */
async function lastTime(file, from, buffer) {
  const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
  let end = buffer.subarray(0, bytesRead).lastIndexOf(LINE_FEED);
  while (end > 0) {
    const start = buffer.lastIndexOf(LINE_FEED, end - 1) + 1;
    const event = parseEvent(buffer.subarray(start, end));
    if (event) return event.at_s;
    end = start - 1;
  }
  return 0;
}
