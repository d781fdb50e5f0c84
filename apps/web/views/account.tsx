import { Navigate, useParams } from '@solidjs/router';
import { Match, Switch } from 'solid-js';
import { Screen } from '../parts/screen.tsx';
import { useApp } from '../state/app-context.ts';
import { ACCOUNT_SECTIONS } from '../state/sections.ts';
import { AccountKeys } from './account-keys.tsx';
import { AccountPassword } from './account-password.tsx';
import { AccountPreferences } from './account-preferences.tsx';
import { AccountSessions } from './account-sessions.tsx';
import { AccountTwoFactor } from './account-two-factor.tsx';
import { LiveTerminals } from './live-terminals.tsx';
import { QuickKeys } from './quick-keys.tsx';
import { Recordings } from './recordings.tsx';
import { AccountSnippets } from './snippet-list.tsx';

/** What belongs to whoever is signed in. */
export function AccountView() {
  const { t } = useApp();
  const params = useParams();
  const section = () => params['section'];
  return (
    <Screen title={t('account')} base="/account" sections={ACCOUNT_SECTIONS} many>
      <Switch fallback={<Navigate href="/account/password" />}>
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
