import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

type Bytes = Uint8Array<ArrayBuffer>;

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** A PNG with one bit per pixel, all black: large dimensions in few bytes. */
export function blackPng(width: number, height: number): Bytes {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const rows = Buffer.alloc(Math.min(height, 6000) * (Math.ceil(width / 8) + 1));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return new Uint8Array(Buffer.concat([signature, ...parts]));
}

type Format = 'png' | 'jpeg' | 'webp' | 'gif';

/** A single color. */
export async function plainImage(format: Format, width = 600, height = 300): Promise<Bytes> {
  const image = sharp({ create: { width, height, channels: 3, background: '#0d6b72' } });
  return new Uint8Array(await image.toFormat(format).toBuffer());
}

/** Noise in every channel, which cannot be compressed. */
export async function noise(width: number, height: number): Promise<Bytes> {
  const pixels = Buffer.alloc(width * height * 4);
  for (let at = 0, state = 1; at < pixels.length; at += 1) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    pixels[at] = state >> 16;
  }
  const image = sharp(pixels, { raw: { width, height, channels: 4 } });
  return new Uint8Array(await image.png({ compressionLevel: 1 }).toBuffer());
}

export function dataUrl(bytes: Uint8Array, type = 'image/png'): string {
  return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
}

/** The facts of an encoded image. */
export async function metadataOf(bytes: Uint8Array) {
  const { format, width, height, exif, icc, pages } = await sharp(bytes).metadata();
  return { format, width, height, exif, icc, pages };
}
