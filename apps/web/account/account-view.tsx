import { Navigate, useParams } from '@solidjs/router';
import { Match, Switch } from 'solid-js';
import { LiveTerminals } from '../live-terminals/own-view.tsx';
import { QuickKeys } from '../quick-connect/host-keys-view.tsx';
import { Recordings } from '../recordings/recordings-view.tsx';
import { Groups } from '../servers/groups/groups-view.tsx';
import { AccountSnippets } from '../snippets/list.tsx';
import { Screen } from '../workspace/screens/screen.tsx';
import { AccountKeys } from './api-keys.tsx';
import { AccountPassword } from './password.tsx';
import { AccountPreferences } from './preferences-view.tsx';
import { AccountSessions } from './sessions.tsx';
import { AccountTwoFactor } from './two-factor/two-factor.tsx';

/** The signed-in user's own sections. */
export function AccountView() {
  const params = useParams();
  const section = () => params['section'];
  return (
    <Screen name="account">
      <Switch fallback={<Navigate href="/account/preferences" />}>
        <Match when={section() === 'password'}>
          <AccountPassword />
        </Match>
        <Match when={section() === 'two-factor'}>
          <AccountTwoFactor />
        </Match>
        <Match when={section() === 'api-keys'}>
          <AccountKeys />
        </Match>
        <Match when={section() === 'sessions'}>
          <AccountSessions />
        </Match>
        <Match when={section() === 'terminals'}>
          <LiveTerminals />
        </Match>
        <Match when={section() === 'recordings'}>
          <Recordings everybody={false} />
        </Match>
        <Match when={section() === 'groups'}>
          <Groups />
        </Match>
        <Match when={section() === 'snippets'}>
          <AccountSnippets />
        </Match>
        <Match when={section() === 'host-keys'}>
          <QuickKeys />
        </Match>
        <Match when={section() === 'preferences'}>
          <AccountPreferences />
        </Match>
      </Switch>
    </Screen>
  );
}
