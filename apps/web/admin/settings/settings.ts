import { queryOptions } from '@tanstack/solid-query';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import type { TextKey } from '../../i18n/languages.ts';
import { formatAmount, type Kind, parseAmount, withUnits } from './units.ts';

export type Setting = Schemas['Setting'];
export type SettingKey = Setting['key'];
export type SettingValue = Setting['value'];

/** Unsaved values; numbers as text. */
export type SettingDraft = Readonly<Partial<Record<SettingKey, string | boolean>>>;

export function settingsQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['settings'],
    queryFn: () => take(client.http.GET('/api/settings')),
  });
}

/** `count` for what is no number. */
export function unitOf({ unit = 'count' }: Pick<Setting, 'unit'>): Kind {
  return unit;
}

/** The value that the field shows. */
export function shownOf(setting: Setting, draft: SettingDraft): string | boolean {
  return draft[setting.key] ?? typedOf(setting);
}

function typedOf(setting: Setting): string | boolean {
  const { value } = setting;
  return typeof value === 'number' ? formatAmount(value, unitOf(setting)) : value;
}

/** Records a change; setting the stored value again removes it. */
export function touch(draft: SettingDraft, setting: Setting, typed: string | boolean): SettingDraft {
  const { [setting.key]: _before, ...others } = draft;
  return isStored(setting, typed) ? others : { ...others, [setting.key]: typed };
}

function isStored(setting: Setting, typed: string | boolean): boolean {
  return setting.kind === 'integer' ? numberOf(setting, typed) === setting.value : typed === setting.value;
}

export function without(draft: SettingDraft, key: SettingKey): SettingDraft {
  const { [key]: _gone, ...others } = draft;
  return others;
}

export interface Complaint {
  readonly text: TextKey;
  readonly values: Readonly<Record<string, string>>;
}

/** Checks typed input against the setting's bounds; undefined if it may be sent. */
export function complaintOf(setting: Setting, typed: string | boolean | undefined): Complaint | undefined {
  if (setting.kind !== 'integer' || typed === undefined) return undefined;
  const { min = 0, max = Number.MAX_SAFE_INTEGER, or_zero } = setting;
  const value = numberOf(setting, typed);
  if ((Number.isSafeInteger(value) && value >= min && value <= max) || (or_zero && value === 0))
    return undefined;
  const kind = unitOf(setting);
  const examples = withUnits(String(typed), kind);
  if (examples) return { text: 'setting_unit', values: examples };
  const bounds = { min: formatAmount(min, kind), max: formatAmount(max, kind) };
  return { text: complaintText(kind, or_zero === true), values: bounds };
}

function complaintText(kind: Kind, or_zero: boolean): TextKey {
  if (kind === 'bytes') return 'setting_size';
  if (kind === 'count') return or_zero ? 'setting_zero_or_between' : 'setting_between';
  return or_zero ? 'setting_zero_or_time' : 'setting_time';
}

function numberOf(setting: Setting, typed: string | boolean): number {
  return typeof typed === 'string' ? parseAmount(typed, unitOf(setting)) : Number.NaN;
}

/** The changed settings, as the API takes them. */
export function valuesOf(
  settings: readonly Setting[],
  draft: SettingDraft,
): Partial<Record<SettingKey, SettingValue>> {
  const changed = settings.flatMap((setting) => {
    const typed = draft[setting.key];
    if (typed === undefined) return [];
    return [[setting.key, setting.kind === 'integer' ? numberOf(setting, typed) : typed]];
  });
  return Object.fromEntries(changed);
}

export async function saveSettings(
  client: GatewayClient,
  values: Partial<Record<SettingKey, SettingValue>>,
): Promise<void> {
  await client.http.PUT('/api/settings', { body: { values } });
}

export async function resetSetting(client: GatewayClient, key: SettingKey): Promise<void> {
  await client.http.POST('/api/settings/reset', { body: { keys: [key] } });
}
