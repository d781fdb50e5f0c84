import { queryOptions, useQuery } from '@tanstack/solid-query';
import { type Accessor, createEffect, onCleanup } from 'solid-js';
import { type GatewayClient, take } from '#client/client.ts';
import { useApp } from '../app/context.ts';
import { type Branding, brandingOf, keptBranding, OWN_BRANDING, paint } from './kept.ts';

export const IMAGES = ['logo', 'login_image', 'favicon'] as const;
export type ImageName = (typeof IMAGES)[number];

const FRESH_MS = 60_000; // returning to the page later than this loads changes

export function brandingQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['branding'],
    queryFn: async () => {
      const branding = brandingOf(await take(client.http.GET('/api/branding')));
      keptBranding().write(branding);
      return branding;
    },
    placeholderData: () => brandingOf(keptBranding().read()),
    staleTime: FRESH_MS,
  });
}

/** The current branding; until it is loaded the one last seen, or the default. */
export function useBranding(): Accessor<Branding> {
  const { client } = useApp();
  const branding = useQuery(() => brandingQuery(client));
  return () => branding.data ?? brandingOf(keptBranding().read());
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
