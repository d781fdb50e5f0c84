import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import { IMAGES } from '../../branding/branding.ts';
import { isColor, PALETTE, type PaletteName, paletteOf } from '../../branding/colors.ts';
import type { Branding } from '../../branding/kept.ts';

type BrandingInput = Schemas['BrandingInput'];
export type ColorTexts = Readonly<Record<PaletteName, string>>;
export type PaletteField = 'colors' | 'colors_dark';

/** The branding form: colors as text, empty for the default; images as a path, or a data URL once chosen. */
export interface BrandingDraft {
  readonly app_name: string;
  readonly tagline: string;
  readonly colors: ColorTexts;
  readonly colors_dark: ColorTexts;
  readonly logo: string | null;
  readonly login_image: string | null;
  readonly favicon: string | null;
}

export function draftOf(branding: Branding): BrandingDraft {
  return { ...branding, colors: textsOf(branding.colors), colors_dark: textsOf(branding.colors_dark) };
}

function textsOf(palette: Branding['colors']): ColorTexts {
  const { accent = '', background = '', surface = '', text = '' } = palette;
  return { accent, background, surface, text };
}

/** The field is not empty and not a valid color. */
export function isMistyped(text: string): boolean {
  return text !== '' && !isColor(text);
}

export function isSendable({ colors, colors_dark }: Pick<BrandingDraft, PaletteField>): boolean {
  return !PALETTE.some((name) => isMistyped(colors[name]) || isMistyped(colors_dark[name]));
}

/** The changed fields, as the API takes them. */
export function inputOf(draft: BrandingDraft, saved: Branding): BrandingInput {
  const before = draftOf(saved);
  const differs = (field: keyof BrandingDraft) =>
    JSON.stringify(draft[field]) !== JSON.stringify(before[field]);
  return {
    ...(differs('app_name') ? { app_name: draft.app_name.trim() } : {}),
    ...(differs('tagline') ? { tagline: draft.tagline.trim() } : {}),
    ...(differs('colors') ? { colors: paletteOf(draft.colors) } : {}),
    ...(differs('colors_dark') ? { colors_dark: paletteOf(draft.colors_dark) } : {}),
    ...Object.fromEntries(IMAGES.filter(differs).map((name) => [name, draft[name]])),
  };
}

export function saveBranding(client: GatewayClient, body: BrandingInput): Promise<Branding> {
  return take(client.http.PUT('/api/branding', { body }));
}

export async function resetBranding(client: GatewayClient): Promise<void> {
  await client.http.DELETE('/api/branding');
}

export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
export const IMAGE_BYTES = 2 * 1024 * 1024; // the gateway's limit for one image

/** Why the gateway would refuse the image; undefined if it is acceptable. */
export function imageProblem({
  size,
  type,
}: Pick<File, 'size' | 'type'>): 'image_too_large' | 'image_kind' | undefined {
  if (!IMAGE_TYPES.some((known) => known === type)) return 'image_kind';
  return size > IMAGE_BYTES ? 'image_too_large' : undefined;
}

export function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
