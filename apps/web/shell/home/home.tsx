import Plus from 'lucide-solid/icons/plus';
import Search from 'lucide-solid/icons/search';
import Upload from 'lucide-solid/icons/upload';
import Zap from 'lucide-solid/icons/zap';
import { Match, Show, Switch } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { GatewayBrand } from '../../branding/gateway-brand.tsx';
import { loadable } from '../../parts/loadable.tsx';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { useQuickConnectEnabled } from '../../quick-connect/quick-connect.ts';
import { useKnownServers } from '../../servers/known-servers.ts';
import type { Server } from '../../servers/servers.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { Keys } from '../keyboard/keys.tsx';
import { paletteChord } from '../keyboard/shortcuts.ts';
import { ContinueHere } from './continue.tsx';
import { OwnServers } from './own-servers.tsx';
import './home.css';

const FirstSteps = loadable(async () => (await import('./first-steps-view.tsx')).FirstSteps, {
  Placeholder: () => null,
  Frame: (props) => props.children,
});

/** Shown while no tab is open: what to continue, and what to open. */
export function Home() {
  const { session, t } = useApp();
  const { tabs, leaveScreen } = useWorkspace();
  const { servers } = useKnownServers();
  const is_admin = () => session.user()?.is_admin === true;
  return (
    <section class="home" aria-label={t('home')}>
      <div class="home-inner">
        <GatewayBrand large />
        <Show when={tabs.list.length > 0}>
          <button type="button" class="button button-primary" onClick={leaveScreen}>
            {t('back_to_tabs')}
          </button>
        </Show>
        <Switch>
          <Match when={servers()?.length === 0}>
            <NoServers is_admin={is_admin()} />
          </Match>
          <Match when={servers()}>{(known) => <Starts servers={known()} />}</Match>
        </Switch>
        <Show when={is_admin() && servers()}>{(known) => <FirstSteps servers={known()} />}</Show>
      </div>
    </section>
  );
}

function NoServers(props: { is_admin: boolean }) {
  const { t } = useApp();
  const { show } = useWorkspace();
  const why = useReadOnlyReason();
  return (
    <div class="home-start">
      <h2>{t('no_servers_title')}</h2>
      <p>{t(props.is_admin ? 'no_servers_admin' : 'no_servers_user')}</p>
      <div class="home-actions">
        <Show when={props.is_admin}>
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
        </Show>
        <QuickConnect />
      </div>
    </div>
  );
}

function Starts(props: { servers: readonly Server[] }) {
  const { t } = useApp();
  const { show, setSheetOpen, tabs } = useWorkspace();
  return (
    <>
      <div class="home-start">
        <h2>{t('welcome_title')}</h2>
        <div class="home-actions">
          <button type="button" class="button home-search" onClick={() => show({ kind: 'palette' })}>
            <Search size={16} aria-hidden="true" /> {t('home_search')}
            <span class="home-chord" aria-hidden="true">
              <Keys chord={paletteChord(tabs.active())} />
            </span>
          </button>
          <button type="button" class="button only-narrow" onClick={() => setSheetOpen(true)}>
            {t('show_servers')}
          </button>
          <QuickConnect />
        </div>
      </div>
      <ContinueHere />
      <OwnServers servers={props.servers} />
    </>
  );
}

function QuickConnect() {
  const { t } = useApp();
  const { show } = useWorkspace();
  const is_enabled = useQuickConnectEnabled();
  return (
    <Show when={is_enabled()}>
      <button type="button" class="button" onClick={() => show({ kind: 'quick_connect' })}>
        <Zap size={16} aria-hidden="true" /> {t('quick_open')}
      </button>
    </Show>
  );
}
