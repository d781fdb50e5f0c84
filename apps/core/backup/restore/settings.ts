import { Fault } from '../../errors.ts';
import { quoted } from '../../hosts/imports/warning-list.ts';
import type { BackupContent } from '../../model/backup/content.ts';
import { BRANDING_IMAGES, type BrandingImageRow, type BrandingRow } from '../../model/settings/branding.ts';
import { isSettingKey, type SettingKey, settingComplaint } from '../../model/settings/setting.ts';
import type { Images } from '../../ports/outside.ts';
import type { BackupRows, RestorePlan } from '../../ports/repositories/backup.ts';
import type { SettingRow } from '../../ports/repositories/settings.ts';
import { imageChanges } from '../../settings/branding-images.ts';
import { hasBranding } from '../pack/records.ts';
import type { Restoring } from './context.ts';
import { isSame } from './rows.ts';

const PLAIN: BrandingRow = { app_name: '', tagline: '', colors: {}, colors_dark: {} };

type SettingChanges = RestorePlan['settings'];

/** Plans settings by key; unknown ones are left out. */
export function planSettings(
  { settings: wanted }: BackupContent,
  { settings: rows }: BackupRows,
  { mode, config_locked, warnings }: Restoring,
): SettingChanges {
  const known = wanted.flatMap(({ key, value }): SettingRow[] => {
    if (isSettingKey(key)) return [fitting({ key, value })];
    warnings.add(`This version does not have the setting ${quoted(key)}`);
    return [];
  });
  if (config_locked) {
    if (known.length > 0)
      warnings.add('The settings are locked (SERVICE_CONFIG_LOCKED) and were not changed');
    return { saved: [], removed: [] };
  }
  const here = new Map(rows.map(({ key, value }) => [key, value]));
  const there = new Set<SettingKey>(known.map(({ key }) => key));
  const saved = known.filter(({ key, value }) =>
    mode === 'replace' ? here.get(key) !== value : !here.has(key),
  );
  const gone = rows.map(({ key }) => key).filter((key) => !there.has(key));
  return { saved, removed: mode === 'replace' ? gone : [] };
}

function fitting(row: SettingRow): SettingRow {
  const complaint = settingComplaint(row.key, row.value);
  if (complaint) throw new Fault('backup_unreadable', `setting ${row.key}: ${complaint}`);
  return row;
}

/** Plans branding as a whole; `merge` keeps existing branding, and so does a lock. */
export async function planBranding(
  { branding, images: wanted }: BackupContent,
  rows: BackupRows,
  { mode, config_locked, warnings, images }: Restoring & { readonly images: Images },
): Promise<RestorePlan['branding']> {
  const is_here = hasBranding(rows);
  const is_there = branding !== undefined || wanted.length > 0;
  if (config_locked) {
    if (is_there) warnings.add('Branding is locked (SERVICE_CONFIG_LOCKED) and was not changed');
    return undefined;
  }
  if (!is_there) return mode === 'replace' && is_here ? null : undefined;
  if (mode === 'merge' && is_here) return undefined;
  const row = branding ?? PLAIN;
  const kept = await imageRows(wanted, rows.images, images);
  const is_same = isSame(rows.branding, [row]) && isSame(rows.images, kept);
  return is_same ? undefined : { row, images: kept };
}

/** Keeps images that are already stored; re-encodes the others. */
async function imageRows(
  wanted: BackupContent['images'],
  rows: readonly BrandingImageRow[],
  images: Images,
): Promise<BrandingImageRow[]> {
  const found: BrandingImageRow[] = [];
  for (const name of BRANDING_IMAGES) {
    const data = wanted.find((one) => one.name === name)?.data;
    if (data === undefined) continue;
    const here = rows.find((row) => row.name === name && row.data === data);
    const change = here ?? (await imageChanges(images, { [name]: `data:;base64,${data}` }))[name];
    if (change) found.push({ ...change, name });
  }
  return found;
}
