import type { TextKey } from '../../i18n/languages.ts';

/** A section of a screen: the last segment of its path, and its name. */
export interface Section {
  readonly id: string;
  readonly label: TextKey;
}

export const ACCOUNT_SECTIONS = [
  { id: 'password', label: 'change_password' },
  { id: 'two-factor', label: 'two_factor' },
  { id: 'api-keys', label: 'api_keys' },
  { id: 'sessions', label: 'sessions' },
  { id: 'terminals', label: 'live_terminals' },
  { id: 'recordings', label: 'recordings' },
  { id: 'snippets', label: 'snippets' },
  { id: 'host-keys', label: 'quick_keys' },
  { id: 'preferences', label: 'preferences' },
] as const satisfies readonly Section[];

export const ADMIN_SECTIONS = [
  { id: 'overview', label: 'overview' },
  { id: 'servers', label: 'servers' },
  { id: 'users', label: 'users' },
  { id: 'terminals', label: 'live_terminals' },
  { id: 'recordings', label: 'recordings' },
  { id: 'audit', label: 'audit_log' },
  { id: 'webhooks', label: 'webhooks' },
  { id: 'settings', label: 'settings' },
  { id: 'agent', label: 'agent' },
  { id: 'branding', label: 'branding' },
  { id: 'backup', label: 'backup' },
] as const satisfies readonly Section[];
