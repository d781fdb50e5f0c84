import CircleUser from 'lucide-solid/icons/circle-user';
import { Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { THEMES } from '../app/preferences.ts';
import { LANGUAGES } from '../i18n/languages.ts';
import { Menu, MenuChoice, MenuItem, MenuSeparator, MenuToggle } from '../parts/menu.tsx';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import { useWorkspace } from '../workspace/workspace.ts';
import { textsOfSource } from './sources.ts';

export function AccountMenu() {
  const { client, session, preferences, t } = useApp();
  const { show, goTo, signOut } = useWorkspace();
  const why = useReadOnlyReason();
  const can_change_password = () => {
    const user = session.user();
    return user !== undefined && textsOfSource(user).why_no_password === undefined;
  };
  const themes = () => THEMES.map((value) => ({ value, label: t(`theme_${value}`) }));
  const languages = LANGUAGES.map(({ code, name }) => ({ value: code, label: name }));
  return (
    <Menu
      label={t('account_of', { username: session.user()?.username ?? '' })}
      icon={<CircleUser size={18} aria-hidden="true" />}
      class="icon-button"
    >
      <MenuChoice
        label={t('theme')}
        value={preferences.values.theme}
        options={themes()}
        onChoose={(theme) => preferences.set('theme', theme)}
      />
      <MenuSeparator />
      <MenuChoice
        label={t('language')}
        value={preferences.values.language}
        options={languages}
        onChoose={(language) => preferences.set('language', language)}
      />
      <MenuSeparator />
      <MenuToggle
        label={t('copy_on_select')}
        checked={preferences.values.copy_on_select}
        onChange={(checked) => preferences.set('copy_on_select', checked)}
      />
      <MenuToggle
        label={t('confirm_paste')}
        checked={preferences.values.confirm_paste}
        onChange={(checked) => preferences.set('confirm_paste', checked)}
      />
      <MenuSeparator />
      <MenuItem label={t('live_terminals')} onSelect={() => goTo('/account/terminals')} />
      <MenuItem label={t('recordings')} onSelect={() => goTo('/account/recordings')} />
      <MenuItem label={t('snippets')} onSelect={() => goTo('/account/snippets')} />
      <MenuSeparator />
      <MenuItem label={t('account')} onSelect={() => goTo('/account')} />
      <Show when={session.user()?.is_admin}>
        <MenuItem label={t('administration')} onSelect={() => goTo('/admin')} />
      </Show>
      <MenuItem label={t('keyboard')} onSelect={() => show({ kind: 'keyboard' })} />
      <Show when={can_change_password()}>
        <MenuItem label={t('change_password')} why={why()} onSelect={() => show({ kind: 'password' })} />
      </Show>
      <MenuItem
        label={t('api_reference')}
        onSelect={() => void window.open(client.url('/docs'), '_blank', 'noopener')}
      />
      <MenuItem
        label={t('help')}
        onSelect={() => void window.open(client.url('/help/'), '_blank', 'noopener')}
      />
      <MenuItem label={t('about')} onSelect={() => show({ kind: 'about' })} />
      <MenuItem label={t('sign_out')} onSelect={signOut} />
    </Menu>
  );
}
