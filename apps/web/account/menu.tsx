import CircleUser from 'lucide-solid/icons/circle-user';
import Monitor from 'lucide-solid/icons/monitor';
import Moon from 'lucide-solid/icons/moon';
import Sun from 'lucide-solid/icons/sun';
import { Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { THEMES } from '../app/page-look.ts';
import { LANGUAGES } from '../i18n/languages.ts';
import { Menu, MenuHead, MenuItem, MenuRow, MenuSegments, MenuSeparator } from '../parts/menu.tsx';
import { useWorkspace } from '../workspace/workspace.ts';

/** Who is signed in, and what belongs to the account or to the whole page. */
export function AccountMenu() {
  const { client, session, t } = useApp();
  const { show, goTo, signOut } = useWorkspace();
  const is_admin = () => session.user()?.is_admin === true;
  return (
    <Menu
      label={t('account_of', { username: session.user()?.username ?? '' })}
      icon={<CircleUser size={18} aria-hidden="true" />}
      class="icon-button"
    >
      <MenuHead
        title={session.user()?.username ?? ''}
        text={t(is_admin() ? 'role_administrator' : 'role_user')}
      />
      <MenuSeparator />
      <MenuItem label={t('account')} onSelect={() => goTo('/account')} />
      <Show when={is_admin()}>
        <MenuItem label={t('administration')} onSelect={() => goTo('/admin')} />
      </Show>
      <MenuItem
        label={t('help')}
        onSelect={() => void window.open(client.url('/help/'), '_blank', 'noopener')}
      />
      <MenuItem label={t('about')} onSelect={() => show({ kind: 'about' })} />
      <MenuItem label={t('sign_out')} onSelect={signOut} />
      <MenuSeparator />
      <Appearance />
    </Menu>
  );
}

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon } as const;

function Appearance() {
  const { preferences, t } = useApp();
  const themes = () =>
    THEMES.map((value) => {
      const Icon = THEME_ICONS[value];
      return { value, label: t(`theme_${value}`), face: () => <Icon size={15} aria-hidden="true" /> };
    });
  const languages = LANGUAGES.map(({ code, name }) => ({
    value: code,
    label: name,
    face: () => code.toUpperCase(),
  }));
  return (
    <MenuRow>
      <MenuSegments
        label={t('theme')}
        value={preferences.values.theme}
        options={themes()}
        onChoose={(theme) => preferences.set('theme', theme)}
      />
      <MenuSegments
        label={t('language')}
        value={preferences.values.language}
        options={languages}
        onChoose={(language) => preferences.set('language', language)}
      />
    </MenuRow>
  );
}
