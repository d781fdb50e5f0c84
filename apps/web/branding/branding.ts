import { queryOptions, useQuery } from '@tanstack/solid-query';
import { type Accessor, createEffect, onCleanup } from 'solid-js';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import { useApp } from '../app/context.ts';
import { createPlace } from '../lib/storage.ts';
import { BRANDED_TOKENS, paletteOf, SCHEMES, tokensOf } from './colors.ts';

export type Branding = Schemas['Branding'];
export const IMAGES = ['logo', 'login_image', 'favicon'] as const;
export type ImageName = (typeof IMAGES)[number];

const FRESH_MS = 60_000; // returning to the page later than this loads changes

const OWN_BRANDING: Branding = {
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

const keeping = () => createPlace('local', 'branding');

export function brandingQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['branding'],
    queryFn: async () => {
      const branding = brandingOf(await take(client.http.GET('/api/branding')));
      keeping().write(branding);
      return branding;
    },
    placeholderData: () => brandingOf(keeping().read()),
    staleTime: FRESH_MS,
  });
}

/** The current branding; until it is loaded the one last seen, or the default. */
export function useBranding(): Accessor<Branding> {
  const { client } = useApp();
  const branding = useQuery(() => brandingQuery(client));
  return () => branding.data ?? brandingOf(keeping().read());
}

/** The URL of an image; undefined if there is none. */
export function imageUrl(client: GatewayClient, path: string | null): string | undefined {
  return path === null ? undefined : client.url(path).href;
}

/** Applies the branding's colors and favicon to the page. */
export function followBranding(): Accessor<Branding> {
  const { client, place } = useApp();
  const branding = useBranding();
  const icon = place.is_guest ? null : document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const own_icon = icon?.href ?? '';
  createEffect(() => paint(place.themed, branding()));
  onCleanup(() => paint(place.themed, OWN_BRANDING));
  createEffect(() => {
    const href = imageUrl(client, branding().favicon) ?? own_icon;
    if (!icon || icon.href === href) return;
    icon.removeAttribute('type'); // the type of the default icon
    icon.href = href;
  });
  return branding;
}

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
