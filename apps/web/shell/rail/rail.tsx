import * as Dialog from '@kobalte/core/dialog';
import { useQuery } from '@tanstack/solid-query';
import Plus from 'lucide-solid/icons/plus';
import Search from 'lucide-solid/icons/search';
import X from 'lucide-solid/icons/x';
import Zap from 'lucide-solid/icons/zap';
import { createMemo, createSignal, For, Index, Match, Show, Switch } from 'solid-js';
import { GatewayBrand } from '../../admin/branding/gateway-brand.tsx';
import { useApp } from '../../app-context.ts';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useQuickConnectEnabled } from '../../quick-connect/quick-connect.ts';
import { groupServers, type Server, serversQuery, tagsOf } from '../../servers/servers.ts';
import { useWorkspace } from '../workspace.ts';
import { ServerRow } from './server-row.tsx';
import './rail.css';

/** The filterable server list in the sidebar. */
export function Rail() {
  const { client, session, t } = useApp();
  const { show, setSheetOpen } = useWorkspace();
  const servers = useQuery(() => serversQuery(client));
  const [text, setText] = createSignal('');
  const [tag, setTag] = createSignal<string>();
  const groups = createMemo(() => groupServers(servers.data ?? [], { text: text(), tag: tag() }));
  const why = useReadOnlyReason();
  const quick_enabled = useQuickConnectEnabled();
  const is_admin = () => session.user()?.is_admin === true;
  return (
    <div class="rail">
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
        <Show when={is_admin()}>
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
      <label class="rail-filter">
        <Search size={15} aria-hidden="true" />
        <input
          type="search"
          aria-label={t('filter_servers')}
          placeholder={t('filter_servers')}
          value={text()}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <TagChips servers={servers.data ?? []} chosen={tag()} onChoose={setTag} />
      <div class="rail-list">
        <Switch>
          <Match when={servers.isPending}>
            <p class="rail-empty" role="status">
              {t('loading')}
            </p>
          </Match>
          <Match when={servers.isError && servers.data === undefined}>
            <Trouble title={t('servers_failed')} error={servers.error} compact>
              <button type="button" class="button" onClick={() => void servers.refetch()}>
                {t('try_again')}
              </button>
            </Trouble>
          </Match>
          <Match when={groups().length > 0}>
            <Index each={groups()}>
              {(group) => <Group name={group().name} servers={group().servers} />}
            </Index>
          </Match>
          <Match when={servers.data?.length}>
            <p class="rail-empty">{t('no_match')}</p>
          </Match>
          <Match when={true}>
            <p class="rail-empty">{t(is_admin() ? 'rail_empty_admin' : 'no_servers_user')}</p>
          </Match>
        </Switch>
      </div>
    </div>
  );
}

function Group(props: { name: string; servers: readonly Server[] }) {
  const { t } = useApp();
  const title = () => props.name || t('ungrouped');
  return (
    <section class="rail-group" aria-label={title()}>
      <h2 class="rail-group-name">
        {title()} <span class="count">{props.servers.length}</span>
      </h2>
      <ul>
        <For each={props.servers}>{(server) => <ServerRow server={server} />}</For>
      </ul>
    </section>
  );
}

interface ChipsProps {
  readonly servers: readonly Server[];
  readonly chosen: string | undefined;
  readonly onChoose: (tag: string | undefined) => void;
}

function TagChips(props: ChipsProps) {
  const { t } = useApp();
  return (
    <Show when={tagsOf(props.servers).length > 0}>
      <fieldset class="chips">
        <legend class="visually-hidden">{t('tags')}</legend>
        <For each={tagsOf(props.servers)}>
          {(tag) => (
            <button
              type="button"
              class="chip"
              aria-pressed={props.chosen === tag}
              onClick={() => props.onChoose(props.chosen === tag ? undefined : tag)}
            >
              {tag}
            </button>
          )}
        </For>
      </fieldset>
    </Show>
  );
}

/** The rail on narrow screens. */
export function RailSheet() {
  const { t } = useApp();
  const { sheet_open, setSheetOpen, wishFocus } = useWorkspace();
  return (
    <Dialog.Root open={sheet_open()} onOpenChange={setSheetOpen}>
      <Dialog.Portal>
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
          <Rail />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
