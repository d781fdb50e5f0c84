import type { TextKey } from '../../i18n/languages.ts';
import type { Setting, SettingKey } from './settings.ts';

/** The settings by feature, in the order of the page. */
const GROUPS: readonly { readonly title: TextKey; readonly keys: readonly SettingKey[] }[] = [
  {
    title: 'settings_terminals',
    keys: [
      'session_timeout',
      'resume_seconds',
      'max_sessions_per_user',
      'max_embeds_per_user',
      'quick_connect',
    ],
  },
  {
    title: 'recordings',
    keys: ['record_sessions', 'recording_max_bytes', 'recording_retention_days', 'recording_retention_bytes'],
  },
  { title: 'settings_sites', keys: ['allowed_origins', 'frame_ancestors', 'webhook_allow_private'] },
  { title: 'settings_files', keys: ['max_upload_size'] },
  { title: 'settings_monitor', keys: ['monitor_interval', 'monitor_timeout', 'monitor_concurrency'] },
  { title: 'audit_log', keys: ['audit_retention_days', 'audit_max_entries'] },
];
const OTHERS: TextKey = 'settings_gateway';

export interface SettingGroup {
  readonly title: TextKey;
  readonly settings: readonly Setting[];
}

/** Groups without a setting are left out. Settings of no group come last. */
export function groupSettings(settings: readonly Setting[]): SettingGroup[] {
  const grouped = new Set(GROUPS.flatMap(({ keys }) => keys));
  const pick = (keys: readonly SettingKey[]) =>
    keys.flatMap((key) => settings.find((setting) => setting.key === key) ?? []);
  const others = settings.filter(({ key }) => !grouped.has(key));
  return [
    ...GROUPS.map(({ title, keys }) => ({ title, settings: pick(keys) })),
    { title: OTHERS, settings: others },
  ].filter((group) => group.settings.length > 0);
}
