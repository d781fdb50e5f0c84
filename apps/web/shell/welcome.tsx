import { useQuery } from '@tanstack/solid-query';
import Plus from 'lucide-solid/icons/plus';
import Upload from 'lucide-solid/icons/upload';
import Zap from 'lucide-solid/icons/zap';
import { Match, Show, Switch } from 'solid-js';
import { useApp } from '../app/context.ts';
import { GatewayBrand } from '../branding/gateway-brand.tsx';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import { ReasonButton } from '../parts/reason-button.tsx';
import { useQuickConnectEnabled } from '../quick-connect/quick-connect.ts';
import { serversQuery } from '../servers/servers.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { Keys } from './keyboard/keys.tsx';
import { paletteChord } from './keyboard/shortcuts.ts';

/** Shown while no tab is open: says what to do next. */
export function Welcome() {
  const { client, session, t } = useApp();
  const { show, setSheetOpen, leaveScreen, tabs } = useWorkspace();
  const servers = useQuery(() => serversQuery(client));
  const why = useReadOnlyReason();
  const quick_enabled = useQuickConnectEnabled();
  const is_admin = () => session.user()?.is_admin === true;
  return (
    <section class="welcome">
      <GatewayBrand large />
      <Switch>
        <Match when={servers.data?.length === 0 && is_admin()}>
          <h2>{t('no_servers_title')}</h2>
          <p>{t('no_servers_admin')}</p>
          <ReasonButton
            class="button button-primary"
            why={why()}
            onPress={() => show({ kind: 'server_form', server: undefined })}
          >
            <Plus size={16} aria-hidden="true" /> {t('add_first_server')}
          </ReasonButton>
          <ReasonButton class="button" why={why()} onPress={() => show({ kind: 'import_servers' })}>
            <Upload size={16} aria-hidden="true" /> {t('import_ssh_config')}
          </ReasonButton>
        </Match>
        <Match when={servers.data?.length === 0}>
          <h2>{t('no_servers_title')}</h2>
          <p>{t('no_servers_user')}</p>
        </Match>
        <Match when={servers.data}>
          <h2>{t('welcome_title')}</h2>
          <p>{t('welcome_text')}</p>
          <button type="button" class="button only-narrow" onClick={() => setSheetOpen(true)}>
            {t('show_servers')}
          </button>
        </Match>
      </Switch>
      <Show when={tabs.list.length > 0}>
        <button type="button" class="button button-primary" onClick={leaveScreen}>
          {t('back_to_tabs')}
        </button>
      </Show>
      <Show when={quick_enabled()}>
        <button type="button" class="button" onClick={() => show({ kind: 'quick_connect' })}>
          <Zap size={16} aria-hidden="true" /> {t('quick_open')}
        </button>
      </Show>
      <Show when={(servers.data?.length ?? 0) > 0}>
        <dl class="keys">
          <dt>
            <Keys chord={paletteChord(tabs.active())} />
          </dt>
          <dd>{t('command_palette')}</dd>
          <dt>
            <Keys chord="Alt PgDn" />
          </dt>
          <dd>{t('next_tab')}</dd>
          <dt>
            <Keys chord="Ctrl + / −" />
          </dt>
          <dd>{t('font_size')}</dd>
        </dl>
      </Show>
    </section>
  );
}
