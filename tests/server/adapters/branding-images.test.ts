import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { createImages } from '#server/adapters/images.ts';
import { blackPng, metadataOf, noise, plainImage } from '../../support/pictures.ts';

const images = createImages();
const MOST_BYTES = 512 * 1024;

const refused = async (bytes: Uint8Array<ArrayBuffer>, place: 'logo' | 'login_image' = 'logo') =>
  expect(images.reencode(place, bytes)).rejects.toMatchObject({ code: 'image_unreadable' });
const text = (content: string) => new Uint8Array(Buffer.from(content));
const bytesOf = (buffer: Buffer) => new Uint8Array(buffer);

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>';

describe('A branding image', () => {
  it.each(['png', 'jpeg', 'webp', 'gif'] as const)(
    'may be a %s, and is stored as a PNG within its bounds',
    async (format) => {
      const { type, bytes } = await images.reencode('logo', await plainImage(format, 1000, 500));
      expect(type).toBe('image/png');
      expect(await metadataOf(bytes)).toMatchObject({ format: 'png', width: 256, height: 128 });
    },
  );

  it('for the sign-in page is stored as WebP', async () => {
    const { type, bytes } = await images.reencode('login_image', await plainImage('jpeg', 2400, 1000));
    expect(type).toBe('image/webp');
    expect(await metadataOf(bytes)).toMatchObject({ format: 'webp', width: 1920, height: 800 });
  });

  it('is not enlarged', async () => {
    const { bytes } = await images.reencode('favicon', await plainImage('png', 16, 16));
    expect(await metadataOf(bytes)).toMatchObject({ width: 16, height: 16 });
  });

  it('is rotated upright and stored without camera metadata', async () => {
    const taken = sharp(await plainImage('png', 60, 30)).withExif({ IFD0: { Copyright: 'somebody' } });
    const photo = bytesOf(await taken.withMetadata({ orientation: 6 }).jpeg().toBuffer());
    expect(Buffer.from(photo).includes('somebody')).toBe(true);
    const { bytes } = await images.reencode('logo', photo);
    expect(await metadataOf(bytes)).toMatchObject({ width: 30, height: 60, exif: undefined, icc: undefined });
  });

  it('loses its animation', async () => {
    const frames = await Promise.all([plainImage('png', 20, 20), plainImage('png', 20, 20)]);
    const moving = await sharp(
      frames.map((frame) => Buffer.from(frame)),
      { join: { animated: true } },
    )
      .gif({ delay: [100, 100] })
      .toBuffer();
    const { bytes } = await images.reencode('logo', bytesOf(moving));
    expect(await metadataOf(bytes)).toMatchObject({ format: 'png', width: 20, height: 20 });
  });

  it('with too much detail is compressed further, to at most 512 KiB', async () => {
    const { bytes } = await images.reencode('login_image', await noise(1000, 700));
    expect(bytes.length).toBeLessThanOrEqual(MOST_BYTES);
  });

  it('keeps no hidden data', async () => {
    const polyglot = Buffer.concat([
      await plainImage('png', 20, 20),
      Buffer.from('<script>alert(1)</script>PK\x03\x04'),
    ]);
    const { bytes } = await images.reencode('logo', bytesOf(polyglot));
    expect(Buffer.from(bytes).includes('script')).toBe(false);
  });
});

describe('A file refused as image_unreadable', () => {
  it.each([
    ['nothing', ''],
    ['text', 'hello'],
    ['an SVG', SVG],
    ['an SVG behind a declaration', `<?xml version="1.0"?>${SVG}`],
    ['an SVG that begins like a GIF', `GIF89a${SVG}`],
    ['a PDF', '%PDF-1.7\n1 0 obj\n'],
    ['a page', '<!doctype html><script>alert(1)</script>'],
  ])('is %s', async (_what, content) => {
    await refused(text(content));
  });

  it.each([
    ['more than 16 million pixels', 5000, 4000],
    ['a side of more than 16,384', 20_000, 2],
  ])('is one of %s', async (_what, width, height) => {
    await refused(bytesOf(Buffer.from(await plainImage('png', width, height))));
  });

  it('is a TIFF, which is not supported', async () => {
    await refused(
      bytesOf(
        await sharp(await plainImage('png', 9, 9))
          .tiff()
          .toBuffer(),
      ),
    );
  });

  it.each(['png', 'jpeg', 'webp', 'gif'] as const)('is a truncated %s', async (format) => {
    const pixels = await noise(64, 64);
    const whole = await sharp(pixels).toFormat(format).toBuffer();
    await refused(bytesOf(whole.subarray(0, whole.length / 2)));
  });

  it.each([
    ['900 million', 30_000, 30_000],
    ['48 million', 8000, 6000],
  ])('is a small file with %s pixels', async (_many, width, height) => {
    const bomb = blackPng(width, height);
    expect(bomb.length).toBeLessThan(64 * 1024);
    await refused(bomb, 'login_image');
  });
});
