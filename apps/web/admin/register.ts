import { useQuery } from '@tanstack/solid-query';
import { useApp } from '../app/context.ts';
import type { TextKey } from '../i18n/languages.ts';
import { auditPath } from '../lib/audit-path.ts';
import { usersQuery } from '../lib/users.ts';
import { loadable } from '../parts/loadable.tsx';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import type { Feature, FeatureCommands } from '../workspace/features.ts';
import { ADMIN_SECTIONS } from '../workspace/screens/sections.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { settingsQuery } from './settings/settings.ts';

export const adminFeature: Feature = {
  screens: { admin: loadable(async () => (await import('./admin.tsx')).AdminView) },
  createCommands: createAdminCommands,
};

interface Creation {
  readonly title: TextKey;
  /** The screen whose dialog creates it. */
  readonly path: string;
  readonly screen: TextKey;
}

const CREATIONS: readonly Creation[] = [
  { title: 'create_user', path: '/admin/users', screen: 'users' },
  { title: 'webhook_create', path: '/admin/webhooks', screen: 'webhooks' },
];

function createAdminCommands(): FeatureCommands {
  const { client, session, t } = useApp();
  const { goTo } = useWorkspace();
  const is_admin = () => session.user()?.is_admin === true;
  const settings = useQuery(() => ({ ...settingsQuery(client), enabled: is_admin() }));
  const users = useQuery(() => ({ ...usersQuery(client), enabled: is_admin() }));
  const why = useReadOnlyReason();
  const sections = () =>
    ADMIN_SECTIONS.map(({ id, label }) => ({
      title: t(label),
      hint: t('administration'),
      also: t.optional(`also_${label}`),
      run: () => goTo(`/admin/${id}`),
    }));
  const creations = () =>
    CREATIONS.map(({ title, path, screen }) => ({
      title: t(title),
      hint: t(screen),
      also: t('palette_create'),
      run: () => goTo(`${path}?new=1`),
    }));
  return {
    page: () => (is_admin() ? sections() : []),
    create: () => (is_admin() && why() === undefined ? creations() : []),
    record: () =>
      (users.data ?? []).map(({ id, username }) => ({
        title: username,
        hint: t('users'),
        run: () => goTo(`/admin/users?users_open=${id}`),
      })),
    searches: (text) =>
      is_admin()
        ? [
            {
              title: t('search_audit_for', { text }),
              hint: t('audit_log'),
              run: () => goTo(auditPath({ words: text })),
            },
          ]
        : [],
    setting: () =>
      (settings.data?.settings ?? []).map(({ key }) => ({
        title: t.optional(`setting_${key}`) ?? key,
        hint: t('settings'),
        run: () => goTo(`/admin/settings?key=${encodeURIComponent(key)}`),
      })),
  };
}
