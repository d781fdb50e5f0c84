import type { BrandingImageName, BrandingImageRow, BrandingRow } from '../../model/settings/branding.ts';
import type { SettingKey, SettingValue } from '../../model/settings/setting.ts';

export interface SettingRow {
  readonly key: SettingKey;
  readonly value: SettingValue;
}

/** A row as stored, not yet validated. */
export interface StoredSetting {
  readonly key: string;
  readonly value: unknown;
}

export interface SettingRepository {
  all(): Promise<StoredSetting[]>;
  /** Saves all rows in one transaction. */
  save(rows: readonly SettingRow[], at: string): Promise<void>;
  /** Returns the keys that existed. */
  remove(keys: readonly SettingKey[]): Promise<SettingKey[]>;
}

/** A replacement image; null removes the image. */
export type BrandingImageChange = Omit<BrandingImageRow, 'name'> | null;

export interface BrandingRepository {
  get(): Promise<BrandingRow | undefined>;
  /** Name and digest of each stored image. */
  images(): Promise<Pick<BrandingImageRow, 'name' | 'digest'>[]>;
  image(name: BrandingImageName): Promise<BrandingImageRow | undefined>;
  /** Saves texts, colors and images together; absent values are unchanged. */
  save(
    texts: Partial<BrandingRow>,
    images: { readonly [K in BrandingImageName]?: BrandingImageChange | undefined },
    at: string,
  ): Promise<void>;
  clear(): Promise<void>;
}
