import { z } from 'zod';
import { ENDS } from '../fields.ts';

/** Color tokens of the page that can be changed. */
export const PALETTE = ['accent', 'background', 'surface', 'text'] as const;

const color = z.string().regex(/^#[0-9a-fA-F]{6}$/, 'Must be a color such as #1a2b3c');
export const Palette = z.partialRecord(z.enum(PALETTE), color).meta({ id: 'Palette' });
export type Palette = z.infer<typeof Palette>;

export const BRANDING_IMAGES = ['logo', 'login_image', 'favicon'] as const;
export type BrandingImageName = (typeof BRANDING_IMAGES)[number];

/** The URL of an image without its digest, relative to the gateway's root. */
export function brandingImagePath(name: BrandingImageName): string {
  return `api/branding/images/${name}?v=`;
}

const NAME_LENGTH = 40;
const TAGLINE_LENGTH = 120;
/** A data: URL of a 2 MiB image in base64. */
const IMAGE_LENGTH = 2_900_000;

const shown = (max: number) =>
  z
    .string()
    .trim()
    .max(max, ENDS)
    .refine((text) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text), 'Must be one line of printable characters');

const image_url = z.string().nullable().describe('Relative to the gateway’s root; null if there is none');

export const Branding = z
  .object({
    app_name: z.string(),
    tagline: z.string(),
    colors: Palette,
    colors_dark: Palette,
    logo: image_url,
    login_image: image_url,
    favicon: image_url,
  })
  .meta({ id: 'Branding' });
export type Branding = z.infer<typeof Branding>;

const image_input = z
  .string()
  .max(IMAGE_LENGTH, 'Must not be an image of more than 2 MiB')
  .nullable()
  .optional()
  .describe(
    '`data:image/…;base64,…` (PNG, JPEG, WebP, GIF), re-encoded before it is kept; null removes it; absent, or what GET says: unchanged',
  );

const palette_input = Palette.optional().describe(
  'The complete set: a color that is left out returns to its default',
);

/** Absent fields stay unchanged. */
export const BrandingInput = z
  .strictObject({
    app_name: shown(NAME_LENGTH).optional().describe('Empty means the default'),
    tagline: shown(TAGLINE_LENGTH).optional(),
    colors: palette_input,
    colors_dark: palette_input,
    logo: image_input,
    login_image: image_input,
    favicon: image_input,
  })
  .meta({ id: 'BrandingInput' });
export type BrandingInput = z.infer<typeof BrandingInput>;

export const DEFAULT_NAME = 'Sallyport';

/** Stored texts and colors. */
export interface BrandingRow {
  /** Empty means the default name. */
  readonly app_name: string;
  readonly tagline: string;
  readonly colors: Palette;
  readonly colors_dark: Palette;
}

export const BRANDING_TEXTS = [
  'app_name',
  'tagline',
  'colors',
  'colors_dark',
] as const satisfies readonly (keyof BrandingRow)[];

export interface BrandingImageRow {
  readonly name: BrandingImageName;
  /** Media type. */
  readonly type: string;
  /** Base64. */
  readonly data: string;
  /** Part of the URL, so that clients can cache the image forever. */
  readonly digest: string;
}
