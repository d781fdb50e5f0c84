import type { TextKey } from '../../i18n/languages.ts';
import type { Screen } from '../workspace.ts';

/** A section of a screen: the last segment of its path, and its name. */
export interface Section {
  readonly id: string;
  readonly label: TextKey;
  /** The heading above it in the navigation. */
  readonly group: TextKey;
}

export const ACCOUNT_SECTIONS = [
  { id: 'terminals', label: 'live_terminals', group: 'nav_work' },
  { id: 'recordings', label: 'recordings', group: 'nav_work' },
  { id: 'snippets', label: 'snippets', group: 'nav_work' },
  { id: 'host-keys', label: 'quick_keys', group: 'nav_work' },
  { id: 'password', label: 'change_password', group: 'nav_security' },
  { id: 'two-factor', label: 'two_factor', group: 'nav_security' },
  { id: 'sessions', label: 'sessions', group: 'nav_security' },
  { id: 'api-keys', label: 'api_keys', group: 'nav_security' },
  { id: 'preferences', label: 'preferences', group: 'nav_page' },
] as const satisfies readonly Section[];

export const ADMIN_SECTIONS = [
  { id: 'overview', label: 'overview', group: 'nav_fleet' },
  { id: 'servers', label: 'servers', group: 'nav_fleet' },
  { id: 'terminals', label: 'live_terminals', group: 'nav_fleet' },
  { id: 'recordings', label: 'recordings', group: 'nav_fleet' },
  { id: 'users', label: 'users', group: 'nav_people' },
  { id: 'audit', label: 'audit_log', group: 'nav_people' },
  { id: 'settings', label: 'settings', group: 'nav_system' },
  { id: 'webhooks', label: 'webhooks', group: 'nav_system' },
  { id: 'embedding', label: 'embedding', group: 'nav_system' },
  { id: 'agent', label: 'agent', group: 'nav_system' },
  { id: 'branding', label: 'branding', group: 'nav_system' },
  { id: 'backup', label: 'backup', group: 'nav_system' },
] as const satisfies readonly Section[];

export interface Place {
  readonly title: 'account' | 'administration';
  /** Path of the screen; its sections' paths are below it. */
  readonly base: string;
  readonly sections: readonly Section[];
}

export const SCREENS = {
  account: { title: 'account', base: '/account', sections: ACCOUNT_SECTIONS },
  admin: { title: 'administration', base: '/admin', sections: ADMIN_SECTIONS },
} as const satisfies Record<Screen, Place>;

export interface SectionGroup {
  readonly title: TextKey;
  readonly sections: readonly Section[];
}

/** In the order of their first sections. */
export function groupSections(sections: readonly Section[]): SectionGroup[] {
  const titles = [...new Set(sections.map(({ group }) => group))];
  return titles.map((title) => ({ title, sections: sections.filter(({ group }) => group === title) }));
}
