import { promisify } from 'node:util';
import { constants, createDeflateRaw, deflateRaw } from 'node:zlib';
import { DEFLATED, STORED, type ZipMethod } from './records.ts';

const deflate = promisify(deflateRaw);

// Level 1 is two to three times as fast as level 6, with archives a tenth larger; the network is seldom slower.
const LEVEL = constants.Z_BEST_SPEED;
const SMALLEST_BYTES = 64;
const SAMPLE_BYTES = 64 * 1024;
const WORTHWHILE = 0.97;

const COMPRESSED =
  /\.(7z|aac|apk|arw|avif|br|bz2|cab|crx|deb|docx|epub|flac|gif|gz|heic|heif|ico|jar|jpe?g|jxl|lz|lz4|lzma|m4[abv]|mkv|mov|mp[34]|mpe?g|odt|og[agv]|opus|png|pptx|rar|rpm|squashfs|svgz|t[bgx]z|tbz2|tgz|txz|webm|webp|whl|wm[av]|woff2?|xlsx|xz|z|zip|zst)$/i;

/** Content that is already compressed, judging by its name. */
function isCompressed(name: string): boolean {
  return COMPRESSED.test(name);
}

export interface Packed {
  readonly method: ZipMethod;
  readonly bytes: Uint8Array;
}

/** Stored or deflated, whichever is shorter; runs off the event loop. */
export async function pack(name: string, raw: Uint8Array): Promise<Packed> {
  if (raw.length < SMALLEST_BYTES || isCompressed(name)) return { method: STORED, bytes: raw };
  const bytes = await deflate(raw, { level: LEVEL, ...memoryFor(raw.length) });
  return bytes.length < raw.length ? { method: DEFLATED, bytes } : { method: STORED, bytes: raw };
}

/** The method for a file with this beginning. */
export async function methodFor(name: string, beginning: Uint8Array): Promise<ZipMethod> {
  if (isCompressed(name)) return STORED;
  const sample = beginning.subarray(0, SAMPLE_BYTES);
  const packed = await deflate(sample, { level: LEVEL });
  return packed.length < sample.length * WORTHWHILE ? DEFLATED : STORED;
}

/** zlib allocates a quarter of a megabyte per file unless told that the file is small. */
function memoryFor(size: number): { windowBits: number; memLevel: number; chunkSize: number } {
  const bits = Math.ceil(Math.log2(size + 1));
  const windowBits = Math.max(9, Math.min(15, bits));
  const chunkSize = Math.min(size, 64 * 1024);
  return { windowBits, memLevel: Math.max(1, Math.min(8, windowBits - 7)), chunkSize };
}

/** Compresses each piece after the previous one has been consumed. */
export async function* deflated(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const stream = createDeflateRaw({ level: LEVEL, chunkSize: 64 * 1024 });
  const ready: Buffer[] = [];
  stream.on('data', (bytes: Buffer) => ready.push(bytes));
  try {
    for await (const piece of pieces) {
      await new Promise<void>((resolve, reject) => {
        stream.write(piece, (error) => (error ? reject(error) : resolve()));
      });
      yield* ready.splice(0);
    }
    await new Promise<void>((resolve, reject) => {
      stream.once('end', resolve).once('error', reject).end();
    });
    yield* ready.splice(0);
  } finally {
    stream.destroy();
  }
}
