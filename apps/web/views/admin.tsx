import { Navigate, useParams } from '@solidjs/router';
import { Match, Show, Switch } from 'solid-js';
import { loadable } from '../parts/loadable.tsx';
import { Screen } from '../parts/screen.tsx';
import { useApp } from '../state/app-context.ts';
import { ADMIN_SECTIONS } from '../state/sections.ts';
import { AdminBranding } from './admin-branding.tsx';
import { AdminServers } from './admin-servers.tsx';
import { AdminSettings } from './admin-settings.tsx';
import { AdminWebhooks } from './admin-webhooks.tsx';
import { AuditLog } from './audit.tsx';
import { LiveSessions } from './live-sessions.tsx';
import { Recordings } from './recordings.tsx';
import { Users } from './users.tsx';

const Backup = loadable(async () => (await import('./backup.tsx')).Backup);
const Overview = loadable(async () => (await import('./overview.tsx')).Overview);

/** What only administrators do. */
export function AdminView() {
  const { session, t } = useApp();
  const params = useParams();
  return (
    <Show when={session.user()?.is_admin} fallback={<Navigate href="/" />}>
      <Screen title={t('administration')} base="/admin" sections={ADMIN_SECTIONS}>
        <Switch fallback={<Navigate href="/admin/overview" />}>
          <Match when={params['section'] === 'overview'}>
            <Overview />
          </Match>
          <Match when={params['section'] === 'servers'}>
            <AdminServers />
          </Match>
          <Match when={params['section'] === 'users'}>
            <Users />
          </Match>
          <Match when={params['section'] === 'terminals'}>
            <LiveSessions />
          </Match>
          <Match when={params['section'] === 'recordings'}>
            <Recordings everybody />
          </Match>
          <Match when={params['section'] === 'audit'}>
            <AuditLog />
          </Match>
          <Match when={params['section'] === 'webhooks'}>
            <AdminWebhooks />
          </Match>
          <Match when={params['section'] === 'settings'}>
            <AdminSettings />
          </Match>
          <Match when={params['section'] === 'branding'}>
            <AdminBranding />
          </Match>
          <Match when={params['section'] === 'backup'}>
            <Backup />
          </Match>
        </Switch>
      </Screen>
    </Show>
  );
}
