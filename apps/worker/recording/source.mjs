// @ts-check
import { open } from 'node:fs/promises';
import { beat } from '../threads/serve.mjs';

const BLOCK_BYTES = 1024 * 1024; // of a request: smaller ones cost more time than they save
const REQUEST_MS = 20_000;
const BEAT_MS = 1_000; // waiting for the store is not silence

/**
 * What a cast is read from, like a `FileHandle`.
 * @typedef {object} Source
 * @property {(buffer: Uint8Array, offset: number, length: number, position: number) => Promise<{ bytesRead: number }>} read
 * @property {() => Promise<void>} close
 */

/**
 * Opens an absolute path or the signed URL of an object; throws system errors. An object is first asked for when it is read.
 * @param {string} place
 * @returns {Promise<Source>}
 */
export async function openSource(place) {
  return /^https?:/.test(place) ? openObject(place) : open(place, 'r');
}

/**
 * @param {string} url
 * @returns {Source}
 */
function openObject(url) {
  let block = { start: 0, bytes: new Uint8Array(0) };
  let size = Number.POSITIVE_INFINITY;
  return {
    async read(buffer, offset, length, position) {
      if (position >= size || length === 0) return { bytesRead: 0 };
      if (position < block.start || position >= block.start + block.bytes.length) {
        const got = await whileBeating(() => rangeOf(url, position));
        size = got.size;
        block = { start: position, bytes: got.bytes };
      }
      const from = position - block.start;
      const found = block.bytes.subarray(from, from + length);
      buffer.set(found, offset);
      return { bytesRead: found.length };
    },
    async close() {
      block = { start: 0, bytes: new Uint8Array(0) };
    },
  };
}

/**
 * @param {string} url
 * @param {number} start
 */
async function rangeOf(url, start) {
  const range = `bytes=${start}-${start + BLOCK_BYTES - 1}`;
  try {
    const signal = AbortSignal.timeout(REQUEST_MS);
    const response = await fetch(url, { headers: { range }, redirect: 'error', signal });
    const [, size] = /^bytes \d+-\d+\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
    if (response.status === 206 && size) return { bytes: await bytesOf(response), size: Number(size) };
    await response.body?.cancel();
    if (response.status === 416) return { bytes: new Uint8Array(0), size: start };
    throw refusal(response.status);
  } catch (error) {
    if (error instanceof Error && 'code' in error && CODES.has(error.code)) throw error;
    throw failure('STORE_UNREACHABLE', 'no complete answer'); // the text of the error may name the signed URL
  }
}

const CODES = new Set(/** @type {unknown[]} */ (['ENOENT', 'STORE_REFUSED', 'STORE_UNREACHABLE']));

/** @param {Response} response */
async function bytesOf({ body }) {
  const bytes = new Uint8Array(BLOCK_BYTES);
  let length = 0;
  for await (const chunk of body ?? []) {
    if (length + chunk.length > BLOCK_BYTES) throw failure('STORE_REFUSED', 'more than was asked for');
    bytes.set(chunk, length);
    length += chunk.length;
  }
  return bytes.subarray(0, length);
}

/** @param {number} status */
function refusal(status) {
  if (status === 404) return failure('ENOENT', 'HTTP 404');
  const is_passing = status === 429 || status >= 500;
  return failure(is_passing ? 'STORE_UNREACHABLE' : 'STORE_REFUSED', `HTTP ${status}`);
}

/**
 * @param {string} code
 * @param {string} what
 */
function failure(code, what) {
  return Object.assign(new Error(`The recordings store: ${what}`), { code });
}

/**
 * @template T
 * @param {() => Promise<T>} work
 */
async function whileBeating(work) {
  const beating = setInterval(beat, BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beating);
  }
}
