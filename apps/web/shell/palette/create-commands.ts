import type { App } from '../../app-context.ts';
import type { TextKey } from '../../i18n/languages.ts';
import type { Command } from '../../workspace/commands/command.ts';
import type { Workspace } from '../../workspace/workspace.ts';

interface Creation {
  readonly title: TextKey;
  /** The screen whose dialog creates it. */
  readonly path: string;
  readonly screen: TextKey;
}

const FOR_USERS: readonly Creation[] = [
  { title: 'create_key', path: '/account/api-keys', screen: 'api_keys' },
  { title: 'snippet_create', path: '/account/snippets', screen: 'snippets' },
];
const FOR_ADMINS: readonly Creation[] = [
  { title: 'create_user', path: '/admin/users', screen: 'users' },
  { title: 'webhook_create', path: '/admin/webhooks', screen: 'webhooks' },
];

/** Opens the dialog on its screen. Where the gateway accepts no changes, there are none. */
export function createCommandsOfScreens({ t, session }: App, { goTo }: Workspace): Command[] {
  const creations = session.user()?.is_admin ? [...FOR_ADMINS, ...FOR_USERS] : FOR_USERS;
  return creations.map(({ title, path, screen }) => ({
    title: t(title),
    hint: t(screen),
    also: t('palette_create'),
    run: () => goTo(`${path}?new=1`),
  }));
}
