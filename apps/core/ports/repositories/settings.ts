import type { BrandingImageName, BrandingImageRow, BrandingRow } from '../../model/branding.ts';
import type { SettingKey, SettingValue } from '../../model/setting.ts';

export interface SettingRow {
  readonly key: SettingKey;
  readonly value: SettingValue;
}

/** As it is in the table, whoever has written it there. */
export interface StoredSetting {
  readonly key: string;
  readonly value: unknown;
}

export interface SettingRepository {
  all(): Promise<StoredSetting[]>;
  /** Together. */
  save(rows: readonly SettingRow[], at: string): Promise<void>;
  /** Those that were there. */
  remove(keys: readonly SettingKey[]): Promise<SettingKey[]>;
}

/** An image that takes the place of what is there; null: none. */
export type BrandingImageChange = Omit<BrandingImageRow, 'name'> | null;

export interface BrandingRepository {
  get(): Promise<BrandingRow | undefined>;
  /** Name and digest of each image that there is. */
  images(): Promise<Pick<BrandingImageRow, 'name' | 'digest'>[]>;
  image(name: BrandingImageName): Promise<BrandingImageRow | undefined>;
  /** Texts, colours and images together; what is absent stays. */
  save(
    texts: Partial<BrandingRow>,
    images: { readonly [K in BrandingImageName]?: BrandingImageChange | undefined },
    at: string,
  ): Promise<void>;
  clear(): Promise<void>;
}
