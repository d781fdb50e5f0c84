import { Navigate, useParams } from '@solidjs/router';
import { Match, Show, Switch } from 'solid-js';
import { useApp } from '../app/context.ts';
import { LiveSessions } from '../live-terminals/sessions-view.tsx';
import { loadable } from '../parts/loadable.tsx';
import { Recordings } from '../recordings/recordings-view.tsx';
import { Groups } from '../servers/groups/groups-view.tsx';
import { AdminServers } from '../servers/servers-view.tsx';
import { Screen } from '../workspace/screens/screen.tsx';
import { AuditLog } from './audit/audit-view.tsx';
import { AdminBranding } from './branding/branding-view.tsx';
import { AdminSettings } from './settings/settings-view.tsx';
import { Users } from './users/users-view.tsx';
import { AdminWebhooks } from './webhooks/webhooks-view.tsx';

const Backup = loadable(async () => (await import('./backup/backup-view.tsx')).Backup);
const AdminAgent = loadable(async () => (await import('./agent/agent-view.tsx')).AdminAgent);
const Embedding = loadable(async () => (await import('./embedding/embedding-view.tsx')).Embedding);
const Overview = loadable(async () => (await import('./overview/overview-view.tsx')).Overview);

/** The administrators' screens. */
export function AdminView() {
  const { session } = useApp();
  const params = useParams();
  return (
    <Show when={session.user()?.is_admin} fallback={<Navigate href="/" />}>
      <Screen name="admin">
        <Switch fallback={<Navigate href="/admin/overview" />}>
          <Match when={params['section'] === 'overview'}>
            <Overview />
          </Match>
          <Match when={params['section'] === 'servers'}>
            <AdminServers />
          </Match>
          <Match when={params['section'] === 'groups'}>
            <Groups />
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
          <Match when={params['section'] === 'embedding'}>
            <Embedding />
          </Match>
          <Match when={params['section'] === 'agent'}>
            <AdminAgent />
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
