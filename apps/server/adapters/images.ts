import type { Sharp } from 'sharp';
import { Fault } from '#core/errors.ts';
import { createLimiter } from '#core/lib/concurrency/limiter.ts';
import type { BrandingImageName } from '#core/model/settings/branding.ts';
import type { Images } from '#core/ports/outside.ts';

const MAX_PIXELS = 16_000_000; // of an uploaded image: a few KiB can claim billions
const MAX_DECODED_BYTES = 128 * 1024 * 1024; // formats that cannot be decoded by line are held in memory whole
const MAX_SIDE = 16_384;
const MAX_BYTES = 512 * 1024; // of a stored image
const MAX_SECONDS = 20;
const AT_ONCE = 1; // each may take as much memory as its pixels

const BOUNDS = {
  logo: { width: 512, height: 128 },
  login_image: { width: 1920, height: 1200 },
  favicon: { width: 128, height: 128 },
} as const satisfies Record<BrandingImageName, object>;

/** The only decoders that may read uploaded bytes, whatever else the library was built with. */
const DECODERS = ['Png', 'Jpeg', 'Webp', 'Nsgif'].map((format) => `VipsForeignLoad${format}Buffer`);

type Encoding = Awaited<ReturnType<Images['reencode']>>;
type Decode = (bytes: Uint8Array, place: BrandingImageName) => Sharp;

export function createImages(): Images {
  const limited = createLimiter(AT_ONCE);
  let opened: Promise<Decode> | undefined;
  return {
    reencode: (place, bytes) =>
      limited(async () => {
        if (!isImage(bytes)) throw new Fault('image_unreadable');
        opened ??= openDecoder(); // loads megabytes that most gateways never need
        return encode(place, await opened, bytes);
      }),
  };
}

async function openDecoder(): Promise<Decode> {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: DECODERS });
  return (bytes, place) =>
    sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', pages: 1 })
      .autoOrient()
      .resize({ ...BOUNDS[place], fit: 'inside', withoutEnlargement: true })
      .timeout({ seconds: MAX_SECONDS });
}

async function encode(place: BrandingImageName, decode: Decode, bytes: Uint8Array): Promise<Encoding> {
  try {
    await assertBounded(decode, bytes, place);
    if (place === 'login_image') return await encodePhoto(() => decode(bytes, place));
    return {
      type: 'image/png',
      bytes: bounded(await decode(bytes, place).png({ compressionLevel: 9 }).toBuffer()),
    };
  } catch (cause) {
    throw cause instanceof Fault ? cause : new Fault('image_unreadable', undefined, { cause });
  }
}

/** Checks the header before any pixel is decoded. */
async function assertBounded(decode: Decode, bytes: Uint8Array, place: BrandingImageName): Promise<void> {
  const { width, height, channels, depth } = await decode(bytes, place).metadata();
  const decoded_bytes = width * height * channels * (depth === 'uchar' ? 1 : 2);
  if (Math.max(width, height) > MAX_SIDE || decoded_bytes > MAX_DECODED_BYTES)
    throw new Fault('image_unreadable', 'The image is too large: the limit is 16 million pixels');
}

/** At the best quality that fits the size limit. */
async function encodePhoto(decoded: () => Sharp): Promise<Encoding> {
  const pixels = decoded();
  for (const quality of [82, 60, 35]) {
    const encoded = await pixels.clone().webp({ quality, alphaQuality: quality }).toBuffer();
    if (encoded.length <= MAX_BYTES) return { type: 'image/webp', bytes: new Uint8Array(encoded) };
  }
  const smallest = await pixels.clone().webp({ quality: 10, alphaQuality: 10 }).toBuffer();
  return { type: 'image/webp', bytes: bounded(smallest) };
}

function bounded(encoded: Buffer): Uint8Array<ArrayBuffer> {
  if (encoded.length > MAX_BYTES)
    throw new Fault('image_unreadable', 'The image is too detailed to store: use a simpler or smaller one');
  return new Uint8Array(encoded);
}

const SIGNATURES = /^(89504e470d0a1a0a|ffd8ff|474946383[79]61|52494646.{8}57454250)/; // PNG, JPEG, GIF, WebP

/** Checks the first bytes; the decoder checks the rest. */
function isImage(bytes: Uint8Array): boolean {
  return SIGNATURES.test(Buffer.from(bytes.subarray(0, 12)).toString('hex'));
}
