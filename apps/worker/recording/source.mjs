// @ts-check
import { open } from 'node:fs/promises';
import { beat } from '../threads/serve.mjs';

const BLOCK_BYTES = 1024 * 1024; // of a request: smaller ones cost more time than they save
const REQUEST_MS = 20_000;
const BEAT_MS = 1_000; // waiting for the store is not silence
const MOST_BYTES = 5 * 1024 ** 4; // of an object in S3

/**
 * What a cast is read from, like a `FileHandle`.
 * @typedef {object} Source
 * @property {(buffer: Uint8Array, offset: number, length: number, position: number) => Promise<{ bytesRead: number }>} read
 * @property {() => Promise<void>} close
 */

/**
 * Opens an absolute path or the signed URL of an object; throws system errors. An object is first asked for when it is read.
 * @param {string} place
 * @param {number} [announced] The size of an object; another one is an error.
 * @returns {Promise<Source>}
 */
export async function openSource(place, announced) {
  return /^https?:/.test(place) ? openObject(place, announced) : open(place, 'r');
}

/**
 * @param {string} url
 * @param {number | undefined} size
 * @returns {Source}
 */
function openObject(url, size) {
  let block = { start: 0, bytes: new Uint8Array(0) };
  return {
    async read(buffer, offset, length, position) {
      if (length === 0 || (size !== undefined && position >= size)) return { bytesRead: 0 };
      if (position < block.start || position >= block.start + block.bytes.length) {
        const got = await whileBeating(() => rangeOf(url, position));
        if (got.size !== (size ?? got.size)) throw failure('STORE_WRONG', 'another size than before');
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
    const size = response.status === 206 ? sizeIn(response.headers.get('content-range'), start) : undefined;
    if (size !== undefined) {
      const wanted = Math.min(BLOCK_BYTES, size - start);
      return { bytes: await bytesOf(response, wanted), size };
    }
    await response.body?.cancel();
    if (response.status === 416) return { bytes: new Uint8Array(0), size: start };
    throw refusal(response.status);
  } catch (error) {
    if (error instanceof Error && 'code' in error && CODES.has(error.code)) throw error;
    throw failure('STORE_UNREACHABLE', 'no complete answer'); // the text of the error may name the signed URL
  }
}

const CODES = new Set(
  /** @type {unknown[]} */ (['ENOENT', 'STORE_REFUSED', 'STORE_UNREACHABLE', 'STORE_WRONG']),
);

/**
 * The size of the object whose range answers the request; undefined if it is none.
 * @param {string | null} content_range
 * @param {number} start
 */
function sizeIn(content_range, start) {
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(content_range ?? '') ?? [];
  if (!total) return undefined;
  const size = Number(total);
  const end = Math.min(start + BLOCK_BYTES, size);
  if (size > MOST_BYTES || Number(first) !== start || Number(last) !== end - 1)
    throw failure('STORE_WRONG', 'another range than was asked for');
  return size;
}

/**
 * @param {Response} response
 * @param {number} wanted
 */
async function bytesOf({ body }, wanted) {
  const bytes = new Uint8Array(wanted);
  let length = 0;
  for await (const chunk of body ?? []) {
    if (length + chunk.length > wanted) throw failure('STORE_WRONG', 'more than was asked for');
    bytes.set(chunk, length);
    length += chunk.length;
  }
  if (length < wanted) throw failure('STORE_WRONG', 'less than it announced');
  return bytes;
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
