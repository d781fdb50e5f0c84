import type { TypedResponse } from 'hono';
import { Fault } from '#core/errors.ts';
import { BRANDING_IMAGES } from '#core/model/settings/branding.ts';
import type { BrandingService } from '#core/settings/branding.ts';
import {
  brandingImage,
  deleteBranding,
  getBranding,
  updateBranding,
} from '../../contract/settings/branding.ts';
import type { Router } from '../../http/router.ts';

const IMMUTABLE = 'public, max-age=31536000, immutable';

export function mountBranding(router: Router, branding: BrandingService): void {
  router.on(getBranding, (c) => c.json(branding.get(), 200, { 'Cache-Control': 'no-cache' }));

  router.on(brandingImage, async (c) => {
    const { v } = c.req.valid('query');
    const name = BRANDING_IMAGES.find((one) => one === c.req.valid('param').name);
    if (!name) throw new Fault('image_not_found');
    const { type, bytes, digest } = await branding.image(name, v);
    c.header('Content-Type', type);
    c.header('Cache-Control', v === digest ? IMMUTABLE : 'no-cache');
    c.header('Content-Security-Policy', "default-src 'none'; sandbox");
    return asImage(c.body(bytes, 200));
  });

  router.on(updateBranding, async (c) =>
    c.json(await branding.update(c.var.caller, c.req.valid('json')), 200),
  );

  router.on(deleteBranding, async (c) => {
    await branding.reset(c.var.caller);
    return c.body(null, 204);
  });
}

/** The bytes have the declared content type. */
function asImage(response: Response): Response & TypedResponse<string, 200, 'body'> {
  return response as Response & TypedResponse<string, 200, 'body'>;
}
