import * as Dialog from '@kobalte/core/dialog';
import Plus from 'lucide-solid/icons/plus';
import X from 'lucide-solid/icons/x';
import Zap from 'lucide-solid/icons/zap';
import { createSignal, createUniqueId, Match, Show, Switch } from 'solid-js';
import { AppProvider, useApp } from '../../app/context.ts';
import { GatewayBrand } from '../../branding/gateway-brand.tsx';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useQuickConnectEnabled } from '../../quick-connect/quick-connect.ts';
import { useKnownServers } from '../../servers/known-servers.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { useOpenGroup, useOpening } from './opening.ts';
import { createRailModel, type RailModel } from './rail-model.ts';
import { SearchBox } from './search-box.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { RailTree, type TreeHandle } from './tree.tsx';
import { createRailKeys } from './tree-keys.ts';
import './rail.css';

/** The servers in the sidebar: a search, and one tree. */
export function Rail() {
  const model = createRailModel();
  const { own, serverOf } = useKnownServers();
  const tree_id = createUniqueId();
  let tree: TreeHandle | undefined;
  let search: HTMLInputElement | undefined;
  const keys = createRailKeys({
    model,
    serverOf,
    opening: useOpening(),
    openGroup: useOpenGroup(),
    toggleFavorite: own.toggleFavorite,
    page: () => tree?.page() ?? 1,
    moveTo: (index) => tree?.moveTo(index),
    openMenu: () => tree?.openMenu(),
    focusTree: () => tree?.focus(),
    focusSearch: () => search?.focus(),
  });
  return (
    <div class="rail">
      <RailHead />
      <SearchBox
        model={model}
        tree_id={tree_id}
        onKey={keys.onSearchKey}
        ref={(input) => {
          search = input;
        }}
      />
      <RailState model={model} />
      <RailTree
        model={model}
        id={tree_id}
        onKey={keys.onTreeKey}
        onReady={(handle) => {
          tree = handle;
        }}
      />
      <SelectionBar selection={model.selection} onLeft={() => tree?.focus()} />
    </div>
  );
}

function RailHead() {
  const { session, t } = useApp();
  const { show, setSheetOpen } = useWorkspace();
  const why = useReadOnlyReason();
  const quick_enabled = useQuickConnectEnabled();
  return (
    <div class="rail-head">
      <GatewayBrand />
      <span class="rail-gap" />
      <Show when={quick_enabled()}>
        <button
          type="button"
          class="icon-button"
          aria-label={t('quick_connect')}
          title={`${t('quick_connect')} (Ctrl+Shift+O)`}
          onClick={() => {
            setSheetOpen(false);
            show({ kind: 'quick_connect' });
          }}
        >
          <Zap size={17} aria-hidden="true" />
        </button>
      </Show>
      <Show when={session.user()?.is_admin}>
        <ReasonButton
          class="icon-button"
          label={t('add_server')}
          title={t('add_server')}
          why={why()}
          onPress={() => show({ kind: 'server_form', server: undefined })}
        >
          <Plus size={18} aria-hidden="true" />
        </ReasonButton>
      </Show>
    </div>
  );
}

/** What is shown while there are no rows. */
function RailState(props: { model: RailModel }) {
  const { session, t } = useApp();
  const { index, query } = useKnownServers();
  const is_admin = () => session.user()?.is_admin === true;
  return (
    <Switch>
      <Match when={index() === undefined && query.isError}>
        <Trouble title={t('servers_failed')} error={query.error} compact>
          <button type="button" class="button" onClick={() => void query.refetch()}>
            {t('try_again')}
          </button>
        </Trouble>
      </Match>
      <Match when={index() === undefined}>
        <p class="rail-empty" role="status">
          {t('loading')}
        </p>
      </Match>
      <Match when={index()?.list.length === 0}>
        <p class="rail-empty">{t(is_admin() ? 'rail_empty_admin' : 'no_servers_user')}</p>
      </Match>
      <Match when={props.model.rows().length === 0}>
        <p class="rail-empty" role="status">
          {t('no_match')}
        </p>
      </Match>
    </Switch>
  );
}

/** The rail on narrow screens. */
export function RailSheet() {
  const app = useApp();
  const { place, t } = app;
  const [content, setContent] = createSignal<HTMLElement>();
  const { sheet_open, setSheetOpen, wishFocus } = useWorkspace();
  return (
    <Dialog.Root open={sheet_open()} onOpenChange={setSheetOpen}>
      <Dialog.Portal {...place.portal}>
        <Dialog.Overlay class="overlay" />
        <Dialog.Content
          class="sheet"
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            wishFocus();
          }}
        >
          <Dialog.Title class="visually-hidden">{t('servers')}</Dialog.Title>
          <Dialog.CloseButton class="icon-button sheet-close" aria-label={t('close')}>
            <X size={18} aria-hidden="true" />
          </Dialog.CloseButton>
          <div class="sheet-content" ref={setContent}>
            <Show when={content()}>
              {(mount) => (
                // Outside the dialog, screen readers would not find the menus.
                <AppProvider value={{ ...app, place: { ...app.place, portal: { mount: mount() } } }}>
                  <Rail />
                </AppProvider>
              )}
            </Show>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
