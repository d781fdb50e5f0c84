import type { SampleName } from '#core/model/overview.ts';
import type { BrandingImageName, Palette } from '#core/model/settings/branding.ts';
import type { SettingKey, SettingValue } from '#core/model/settings/setting.ts';
import type { Kit } from '../kit/sqlite.ts';

/** Settings, branding and usage samples. */
export function defineOperations(kit: Kit) {
  const settings = kit.table('settings', {
    key: kit.text().$type<SettingKey>().primaryKey(),
    value: kit.json().$type<SettingValue>().notNull(),
    updated_at: kit.instant().notNull(),
  });

  /** At most one row, with id 1. */
  const branding = kit.table('branding', {
    id: kit.int().primaryKey(),
    app_name: kit.text().notNull(),
    tagline: kit.text().notNull(),
    colors: kit.json().$type<Palette>().notNull(),
    colors_dark: kit.json().$type<Palette>().notNull(),
    updated_at: kit.instant().notNull(),
  });

  const branding_images = kit.table('branding_images', {
    name: kit.text().$type<BrandingImageName>().primaryKey(),
    type: kit.text().notNull(),
    data: kit.text().notNull(),
    digest: kit.text().notNull(),
    updated_at: kit.instant().notNull(),
  });

  const samples = kit.table(
    'samples',
    {
      id: kit.id(),
      at: kit.instant().notNull(),
      metric: kit.text().$type<SampleName>().notNull(),
      value: kit.float().notNull(),
    },
    (row) => [kit.uniqueIndex('samples_at_metric').on(row.at, row.metric)],
  );

  return { settings, branding, branding_images, samples };
}
