import type { Schemas } from '#client/client.ts';
import { createPlace } from '../lib/storage.ts';
import { BRANDED_TOKENS, paletteOf, SCHEMES, tokensOf } from './colors.ts';

export type Branding = Schemas['Branding'];

export const OWN_BRANDING: Branding = {
  app_name: 'Sallyport',
  tagline: '',
  colors: {},
  colors_dark: {},
  logo: null,
  login_image: null,
  favicon: null,
};

/** The branding as last seen, so that the page starts in the right colors; storage is untrusted, so field by field. */
export function brandingOf(kept: unknown): Branding {
  const value: Readonly<Record<string, unknown>> =
    typeof kept === 'object' && kept !== null ? { ...kept } : {};
  const text = (name: string) => (typeof value[name] === 'string' ? value[name] : '');
  return {
    app_name: text('app_name') || OWN_BRANDING.app_name,
    tagline: text('tagline'),
    colors: paletteOf(value['colors']),
    colors_dark: paletteOf(value['colors_dark']),
    logo: text('logo') || null,
    login_image: text('login_image') || null,
    favicon: text('favicon') || null,
  };
}

/** The branding that the page saw last. */
export const keptBranding = () => createPlace('local', 'branding');

/** Sets style properties, which the content security policy allows; `initial` restores the value of `tokens.css`. */
export function paint(
  element: HTMLElement,
  { colors, colors_dark }: Pick<Branding, 'colors' | 'colors_dark'>,
): void {
  for (const scheme of SCHEMES) {
    const tokens = tokensOf(scheme === 'light' ? colors : colors_dark, scheme);
    for (const token of BRANDED_TOKENS)
      element.style.setProperty(`--${token}-${scheme}`, tokens[token] ?? 'initial');
  }
}
