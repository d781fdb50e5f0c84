import { Fault, invalidField } from '../errors.ts';
import { digest, fromBase64, toBase64 } from '../lib/bytes/bytes.ts';
import {
  BRANDING_IMAGES,
  type BrandingImageName,
  type BrandingInput,
  brandingImagePath,
} from '../model/settings/branding.ts';
import type { Images } from '../ports/outside.ts';
import type { BrandingImageChange } from '../ports/repositories/settings.ts';

export type ImageChanges = { readonly [K in BrandingImageName]?: BrandingImageChange };

/** The changed images, re-encoded; unchanged ones are left out. */
export async function imageChanges(images: Images, input: BrandingInput): Promise<ImageChanges> {
  const changes: [BrandingImageName, BrandingImageChange][] = [];
  for (const name of BRANDING_IMAGES) {
    const text = input[name];
    if (text === null) changes.push([name, null]);
    else if (text !== undefined && !text.startsWith(brandingImagePath(name))) {
      changes.push([name, await reencoded(images, name, text)]);
    }
  }
  return Object.fromEntries(changes);
}

async function reencoded(
  images: Images,
  name: BrandingImageName,
  text: string,
): Promise<BrandingImageChange> {
  const { type, bytes } = await images.reencode(name, bytesOf(name, text));
  const data = toBase64(bytes);
  return { type, data, digest: (await digest(data)).slice(0, 22) };
}

/** Ignores the media type: the bytes decide. */
function bytesOf(name: BrandingImageName, text: string): Uint8Array<ArrayBuffer> {
  const [start = ''] = /^data:[^,]{0,100};base64,/i.exec(text) ?? [];
  if (start === '') {
    const message = 'Must be a base64 data: URL, the URL that GET returned, or null';
    throw invalidField(name, message, `${name}: ${message}`);
  }
  try {
    return fromBase64(text.slice(start.length));
  } catch (cause) {
    throw new Fault('image_unreadable', undefined, { cause });
  }
}
