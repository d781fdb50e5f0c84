import type { TextKey } from '../../i18n/languages.ts';
import type { Screen } from '../workspace.ts';

/** A section of a screen: the last segment of its path, and its name. */
export interface Section {
  readonly id: string;
  readonly label: TextKey;
  /** The heading above it in the navigation. */
  readonly group: TextKey;
  /** The page and heading of the manual about it, below `/help`. */
  readonly help: string;
}

export const ACCOUNT_SECTIONS = [
  {
    id: 'terminals',
    label: 'live_terminals',
    group: 'nav_work',
    help: 'terminals.html#come-back-to-a-terminal',
  },
  { id: 'recordings', label: 'recordings', group: 'nav_work', help: 'terminals.html#record-terminals' },
  { id: 'snippets', label: 'snippets', group: 'nav_work', help: 'terminals.html#keep-commands-as-snippets' },
  { id: 'groups', label: 'groups', group: 'nav_work', help: 'servers.html#groups' },
  {
    id: 'host-keys',
    label: 'quick_keys',
    group: 'nav_work',
    help: 'terminals.html#connect-to-a-host-that-is-not-registered',
  },
  {
    id: 'password',
    label: 'change_password',
    group: 'nav_security',
    help: 'accounts.html#change-your-password',
  },
  { id: 'two-factor', label: 'two_factor', group: 'nav_security', help: 'accounts.html#two-factor' },
  {
    id: 'sessions',
    label: 'sessions',
    group: 'nav_security',
    help: 'accounts.html#see-where-you-are-signed-in',
  },
  { id: 'api-keys', label: 'api_keys', group: 'nav_security', help: 'accounts.html#api-keys' },
  { id: 'preferences', label: 'preferences', group: 'nav_page', help: 'accounts.html#preferences' },
] as const satisfies readonly Section[];

export const ADMIN_SECTIONS = [
  { id: 'overview', label: 'overview', group: 'nav_fleet', help: 'operations.html#overview' },
  { id: 'servers', label: 'servers', group: 'nav_fleet', help: 'servers.html' },
  { id: 'groups', label: 'groups', group: 'nav_fleet', help: 'servers.html#groups' },
  { id: 'terminals', label: 'live_terminals', group: 'nav_fleet', help: 'terminals.html#watch-a-terminal' },
  { id: 'recordings', label: 'recordings', group: 'nav_fleet', help: 'terminals.html#record-terminals' },
  { id: 'users', label: 'users', group: 'nav_people', help: 'accounts.html' },
  { id: 'audit', label: 'audit_log', group: 'nav_people', help: 'audit.html' },
  { id: 'settings', label: 'settings', group: 'nav_system', help: 'configuration.html#settings' },
  { id: 'webhooks', label: 'webhooks', group: 'nav_system', help: 'webhooks.html' },
  { id: 'embedding', label: 'embedding', group: 'nav_system', help: 'embedding.html#set-up' },
  { id: 'agent', label: 'agent', group: 'nav_system', help: 'agent.html#set-it-up' },
  { id: 'branding', label: 'branding', group: 'nav_system', help: 'configuration.html#branding' },
  { id: 'backup', label: 'backup', group: 'nav_system', help: 'backup.html' },
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
