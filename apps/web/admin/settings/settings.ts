import { queryOptions } from '@tanstack/solid-query';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import type { TextKey } from '../../i18n/languages.ts';

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

type Unit = 'seconds' | 'bytes' | 'days' | 'entries';

const UNITS: Partial<Record<string, Unit>> = {
  monitor_interval: 'seconds',
  monitor_timeout: 'seconds',
  session_timeout: 'seconds',
  resume_seconds: 'seconds',
  recording_max_bytes: 'bytes',
  max_upload_size: 'bytes',
  audit_retention_days: 'days',
  audit_max_entries: 'entries',
};

/** Undefined for plain numbers and for settings this page does not know. */
export function unitOf({ key }: Pick<Setting, 'key'>): Unit | undefined {
  return UNITS[key];
}

/** The value that the field shows. */
export function shownOf(setting: Setting, draft: SettingDraft): string | boolean {
  return draft[setting.key] ?? typedOf(setting.value);
}

function typedOf(value: SettingValue): string | boolean {
  return typeof value === 'boolean' ? value : String(value);
}

/** Records a change; setting the stored value again removes it. */
export function touch(draft: SettingDraft, setting: Setting, typed: string | boolean): SettingDraft {
  const { [setting.key]: _before, ...others } = draft;
  return typed === typedOf(setting.value) ? others : { ...others, [setting.key]: typed };
}

export function without(draft: SettingDraft, key: SettingKey): SettingDraft {
  const { [key]: _gone, ...others } = draft;
  return others;
}

export interface Complaint {
  readonly text: TextKey;
  readonly values: Readonly<Record<string, number>>;
}

/** Checks typed input against the setting's bounds; undefined if it may be sent. */
export function complaintOf(setting: Setting, typed: string | boolean | undefined): Complaint | undefined {
  if (setting.kind !== 'integer' || typed === undefined) return undefined;
  const { min = 0, max = Number.MAX_SAFE_INTEGER, or_zero } = setting;
  const value = numberOf(typed);
  const bounded = or_zero ? 'setting_zero_or_between' : 'setting_between';
  const text = max === Number.MAX_SAFE_INTEGER ? 'setting_at_least' : bounded;
  return (Number.isSafeInteger(value) && value >= min && value <= max) || (or_zero && value === 0)
    ? undefined
    : { text, values: { min, max } };
}

function numberOf(typed: string | boolean): number {
  return typeof typed === 'string' && /^\s*\d+\s*$/.test(typed) ? Number(typed) : Number.NaN;
}

/** The changed settings, as the API takes them. */
export function valuesOf(
  settings: readonly Setting[],
  draft: SettingDraft,
): Partial<Record<SettingKey, SettingValue>> {
  const changed = settings.flatMap(({ key, kind }) => {
    const typed = draft[key];
    return typed === undefined ? [] : [[key, kind === 'integer' ? numberOf(typed) : typed]];
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
