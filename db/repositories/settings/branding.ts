import { eq } from 'drizzle-orm';
import { BRANDING_IMAGES, type BrandingImageName } from '#core/model/settings/branding.ts';
import type { BrandingImageChange, BrandingRepository } from '#core/ports/repositories/settings.ts';
import type { Db, Store } from '../../store.ts';

const ROW = 1; // at most one row
const PLAIN = { id: ROW, app_name: '', tagline: '', colors: {}, colors_dark: {} };

export function createBrandingRepository(store: Store): BrandingRepository {
  const { db, batch, tables } = store;
  const { branding, branding_images } = tables;
  const { app_name, tagline, colors, colors_dark } = branding;
  const { name, type, data, digest } = branding_images;

  function replaceImage(on: Db, name: BrandingImageName, change: BrandingImageChange, updated_at: string) {
    if (change === null) return on.delete(branding_images).where(eq(branding_images.name, name));
    const row = { ...change, updated_at };
    return on
      .insert(branding_images)
      .values({ name, ...row })
      .onConflictDoUpdate({ target: branding_images.name, set: row });
  }

  return {
    async get() {
      const [row] = await db.select({ app_name, tagline, colors, colors_dark }).from(branding);
      return row;
    },

    images: () => db.select({ name, digest }).from(branding_images),

    async image(wanted) {
      const columns = { name, type, data, digest };
      const [row] = await db.select(columns).from(branding_images).where(eq(name, wanted));
      return row;
    },

    save: (texts, images, updated_at) =>
      batch((on) => [
        on
          .insert(branding)
          .values({ ...PLAIN, ...texts, updated_at })
          .onConflictDoUpdate({ target: branding.id, set: { ...texts, updated_at } }),
        ...BRANDING_IMAGES.flatMap((one) => {
          const change = images[one];
          return change === undefined ? [] : [replaceImage(on, one, change, updated_at)];
        }),
      ]),

    clear: () => batch((on) => [on.delete(branding), on.delete(branding_images)]),
  };
}
