// @ts-check
import { Buffer } from 'node:buffer';

const CHUNK_BYTES = 256 * 1024;
const MAX_LINE_BYTES = 4 * 1024 * 1024; // ours are a tenth of that
const LINE_FEED = 0x0a;

/**
 * An output or resize event of a cast.
 * @typedef {{ at_s: number, data: string, size?: undefined } | { at_s: number, size: Size, data?: undefined }} Shown
 * @typedef {{ cols: number, rows: number }} Size
 */

/**
 * Complete lines of a file without line ends; overlong ones are skipped.
 * @param {import('./source.mjs').Source} file
 * @returns {AsyncGenerator<Buffer>}
 */
export async function* linesOf(file) {
  let begun = Buffer.alloc(0);
  for (let position = 0; ; ) {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    const bytes = Buffer.concat([begun, buffer.subarray(0, bytesRead)]);
    let from = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, from)) {
      yield bytes.subarray(from, end);
      from = end + 1;
    }
    begun = bytes.subarray(bytes.length - from > MAX_LINE_BYTES ? bytes.length : from);
  }
}

/**
 * The size in a header line; undefined for any other line.
 * @param {Buffer} line
 */
export function parseHeaderSize(line) {
  const header = parsed(line);
  if (typeof header !== 'object' || header === null || !('width' in header) || !('height' in header))
    return undefined;
  return toSize(Number(header.width), Number(header.height));
}

/**
 * Undefined for other events and for invalid lines.
 * @param {Buffer} line
 * @returns {Shown | undefined}
 */
export function parseEvent(line) {
  const event = parsed(line);
  if (!Array.isArray(event)) return undefined;
  const [at_s, kind, data] = event;
  if (typeof at_s !== 'number' || typeof data !== 'string') return undefined;
  if (kind === 'o') return { at_s, data };
  const [, cols, rows] = (kind === 'r' && /^(\d+)x(\d+)$/.exec(data)) || [];
  const size = toSize(Number(cols), Number(rows));
  return size && { at_s, size };
}

/**
 * @param {number} cols
 * @param {number} rows
 * @returns {Size | undefined}
 */
function toSize(cols, rows) {
  return cols >= 1 && cols <= 1000 && rows >= 1 && rows <= 1000 ? { cols, rows } : undefined;
}

/**
 * @param {Buffer} line
 * @returns {unknown}
 */
function parsed(line) {
  try {
    return JSON.parse(line.toString());
  } catch {
    return undefined; // a truncated line
  }
}
