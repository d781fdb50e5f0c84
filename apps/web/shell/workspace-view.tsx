import { A, HashRouter, Route, useLocation, useNavigate, useParams } from '@solidjs/router';
import { useQuery } from '@tanstack/solid-query';
import { createEffect, For, type JSX, on, onCleanup, onMount, type ParentProps, Show } from 'solid-js';
import { AccountMenu } from '../account/menu.tsx';
import { useApp } from '../app/context.ts';
import { RAIL_PX } from '../app/page-look.ts';
import { useBranding } from '../branding/branding.ts';
import { configQuery } from '../lib/gateway-info.ts';
import { shownName } from '../lib/hidden-characters.ts';
import { listenKeys } from '../lib/root.ts';
import { endStaticFrame } from '../lib/static-frame.ts';
import { createOpenTerminals, OpenTerminalsProvider } from '../open-terminals/open-terminals.ts';
import { ResizeHandle } from '../parts/resize-handle.tsx';
import { useQuickConnectEnabled } from '../quick-connect/quick-connect.ts';
import { createKnownServers, KnownServersProvider, useKnownServers } from '../servers/known-servers.ts';
import { createStatusWatch, StatusWatchProvider } from '../servers/status/status.ts';
import { refuseStrayDrops } from '../workspace/drag.ts';
import { useFeatures } from '../workspace/features.ts';
import { PaneHostProvider } from '../workspace/panes/host.ts';
import { createPanes, type Panes } from '../workspace/panes/panes.ts';
import { createTabs } from '../workspace/tabs/open-tabs.ts';
import { labelOf } from '../workspace/tabs/tabs.ts';
import { createUnsaved, UnsavedProvider } from '../workspace/unsaved/unsaved.ts';
import { createWorkspace, useWorkspace, type Workspace, WorkspaceProvider } from '../workspace/workspace.ts';
import { createShortcuts } from './keyboard/shortcuts.ts';
import { guardLeaving, holdsShell, runningShells } from './leave-guard.ts';
import { Notices } from './notices.tsx';
import { noteOpened } from './opened.ts';
import { OutdatedNotice } from './outdated.tsx';
import { createWorkspaceHost } from './panes/workspace-host.tsx';
import { Rail, RailSheet } from './rail/rail.tsx';
import { followRights } from './rights.ts';
import { ScreenNavigation, ScreenSheet } from './screens/navigation.tsx';
import { StatusLine } from './status-line.tsx';
import { TabArea } from './tabs/area.tsx';
import { TopBar } from './top-bar.tsx';
import { TypeAheadField } from './type-ahead/field.tsx';
import { followViewport } from './viewport.ts';
import { Windows } from './windows.tsx';
import './workspace.css';

/** The page after sign-in; its address says which tab is active. */
export function WorkspaceView(props: { user_id: number }) {
  const { Router = HashRouter } = useApp();
  const features = useFeatures();
  return (
    <Router root={(inner) => <Frame user_id={props.user_id}>{inner.children}</Frame>}>
      <Route path="/tabs/:tab_id" component={Nothing} />
      {features.flatMap(({ screens = {} }) =>
        Object.entries(screens).map(([name, View]) => <Route path={`/${name}/:section?`} component={View} />),
      )}
      <Route path="/servers/:server_id/:kind" component={OpenFromAddress} />
      <Route path="*" component={Nothing} />
    </Router>
  );
}

function Frame(props: ParentProps<{ user_id: number }>) {
  const { client, place, preferences, session, t } = useApp();
  const navigate = useNavigate();
  const location = useLocation();
  const unsaved = createUnsaved(props.user_id);
  const tabs = createTabs({
    user_id: props.user_id,
    active_id: () => /^\/tabs\/([^/]+)$/.exec(location.pathname)?.[1],
    go(id, how) {
      if (how !== 'replace') aimAt(id); // in step with the focus, the page's address may follow later
      navigate(id === undefined ? '/' : `/tabs/${id}`, { replace: how === 'replace' });
    },
    mayClose: unsaved.mayLeave,
    successor: (id) => panes.successor(id),
    order: () => panes.order(),
    holdsShell: (tab) => holdsShell(terminals, tab),
  });
  const panes: Panes = createPanes(tabs, props.user_id);
  const open_terminals = createOpenTerminals(tabs);
  const { terminals, typing } = open_terminals;
  function aimAt(id: string | undefined): void {
    const active = tabs.active();
    if ((active && active.id === id) || (id !== undefined && typing.target() === id)) return;
    const is_terminal = tabs.list.find((tab) => tab.id === id)?.kind === 'terminal';
    typing.aim(is_terminal ? id : undefined);
  }
  const workspace = createWorkspace(tabs, panes, {
    path: () => location.pathname,
    go: navigate,
    is_guest: place.is_guest === true,
    signOut() {
      const is_free = runningShells(terminals) === 0 && !unsaved.isAnyDirty();
      if (is_free) void session.signOut();
      else workspace.show({ kind: 'sign_out' });
    },
  });
  const config = useQuery(() => configQuery(client));
  const branding = useBranding();
  const status_watch = createStatusWatch();
  const known_servers = createKnownServers(props.user_id, status_watch);
  askForNotifications(workspace);
  followViewport();
  onMount(endStaticFrame);
  guardLeaving(terminals, unsaved);
  followRights(workspace);
  refuseStrayDrops(place);
  noteOpened(tabs, known_servers.own);
  const shortcuts = createShortcuts(place, workspace, { terminals, quick_enabled: useQuickConnectEnabled() });
  onCleanup(listenKeys(place, shortcuts));
  window.addEventListener('pagehide', tabs.endClosed); // a closed tab is not resumed after a reload
  onCleanup(() => window.removeEventListener('pagehide', tabs.endClosed));
  const title = () => {
    const active = tabs.active();
    const screen = workspace.screen();
    const { app_name } = branding();
    if (screen) return `${t(screen === 'admin' ? 'administration' : 'account')} · ${app_name}`;
    return active ? `${shownName(labelOf(active, tabs.list))} · ${app_name}` : app_name;
  };
  createEffect(() => {
    const count = workspace.marks.count();
    if (!place.is_guest) document.title = count > 0 ? `(${count}) ${title()}` : title();
  });

  return (
    <WorkspaceProvider value={workspace}>
      <UnsavedProvider value={unsaved}>
        <StatusWatchProvider value={status_watch}>
          <PaneHostProvider value={createWorkspaceHost(workspace, known_servers)}>
            <OpenTerminalsProvider value={open_terminals}>
              <KnownServersProvider value={known_servers}>
                <Provided user_id={props.user_id}>
                  <div
                    class="workspace"
                    classList={{ 'workspace-wide': !preferences.values.rail_open && !workspace.screen() }}
                    style={{ '--rail': `min(${preferences.values.rail_px}px, 50vw)` }}
                  >
                    <div class="page-notices">
                      <Show when={config.data?.demo_mode}>
                        <p class="page-notice" role="status">
                          {t('demo_banner')}
                        </p>
                      </Show>
                      <OutdatedNotice />
                    </div>
                    <RailPlace />
                    <TopBar title={title()} account={<AccountMenu />} />
                    <main class="middle">
                      <TabArea />
                      {props.children}
                    </main>
                    <StatusLine />
                    <TypeAheadField />
                    <Notices />
                  </div>
                  <Windows />
                  <Started />
                </Provided>
              </KnownServersProvider>
            </OpenTerminalsProvider>
          </PaneHostProvider>
        </StatusWatchProvider>
      </UnsavedProvider>
    </WorkspaceProvider>
  );
}

/** Surrounds its content with the state of each feature. */
function Provided(props: ParentProps<{ user_id: number }>) {
  const within = useFeatures().reduceRight<() => JSX.Element>(
    (inner, { Provider }) =>
      Provider ? () => <Provider user_id={props.user_id}>{inner()}</Provider> : inner,
    () => props.children,
  );
  return within();
}

function Started() {
  for (const { start } of useFeatures()) start?.();
  return null;
}

/** The browser asks when the user chooses to be notified, never when the page opens. */
function askForNotifications({ notifier }: Workspace): void {
  const { values } = useApp().preferences;
  const wishes = () => [
    values.program_notifications === 'notify',
    values.notify_bell,
    values.notify_transfers,
  ];
  createEffect(
    on(
      wishes,
      (now, before) => {
        if (now.some((wish, at) => wish && !before?.[at])) void notifier.ask();
      },
      { defer: true },
    ),
  );
}

/** The servers, or the navigation of the screen that is shown. The servers stay mounted: their filter is kept. */
function RailPlace() {
  const { preferences, t } = useApp();
  const { screen } = useWorkspace();
  return (
    <>
      <Show when={preferences.values.rail_open}>
        <aside class="rail-place" aria-label={t('servers')} hidden={screen() !== undefined}>
          <Rail />
          <RailFoot />
        </aside>
      </Show>
      <Show when={preferences.values.rail_open || screen()}>
        <ResizeHandle
          class="rail-resize"
          label={t(screen() ? 'resize_navigation' : 'resize_rail')}
          width_px={preferences.values.rail_px}
          widths={RAIL_PX}
          edge="right"
          onResize={(width_px) => preferences.set('rail_px', width_px)}
        />
      </Show>
      <Show when={screen()} fallback={<RailSheet />}>
        {(name) => (
          <>
            <div class="rail-place">
              <ScreenNavigation screen={name()} />
            </div>
            <ScreenSheet screen={name()} />
          </>
        )}
      </Show>
    </>
  );
}

const FOOT = [
  { path: '/account/terminals', label: 'live_terminals' },
  { path: '/account/recordings', label: 'recordings' },
  { path: '/account/snippets', label: 'snippets' },
] as const;

/** What belongs to the user’s work, one click away. */
function RailFoot() {
  const { t } = useApp();
  return (
    <nav class="rail-foot" aria-label={t('nav_work')}>
      <For each={FOOT}>
        {({ path, label }) => (
          <A class="rail-foot-link" href={path}>
            {t(label)}
          </A>
        )}
      </For>
    </nav>
  );
}

/** `#/servers/3/terminal` opens a tab and is replaced by the tab's own address. */
function OpenFromAddress() {
  const { serverOf } = useKnownServers();
  const { tabs } = useWorkspace();
  const params = useParams();
  const location = useLocation();
  let opened = false;
  createEffect(() => {
    const server = serverOf(Number(params['server_id']));
    if (!server || opened) return;
    opened = true;
    const path = location.query['path'];
    const kind = params['kind'] === 'files' ? 'files' : 'terminal';
    const place = typeof path === 'string' ? { path } : {};
    tabs.open({ kind, server_id: server.id, server_name: server.name, ...place });
  });
  return null;
}

function Nothing() {
  return null;
}
