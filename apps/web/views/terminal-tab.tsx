import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createMemo, Match, onMount, type ParentProps, Show, Switch } from 'solid-js';
import type { Ending } from '#client/terminal-ending.ts';
import { Confirm } from '../parts/confirm.tsx';
import { useApp } from '../state/app-context.ts';
import { createPaneFocus } from '../state/pane-focus.ts';
import { serversQuery } from '../state/servers.ts';
import { useWorkspace } from '../state/workspace.ts';
import { createTerminalController } from '../terminal/controller.ts';
import { describeEnding } from '../terminal/status.ts';
import { KeyBar } from './key-bar.tsx';
import type { PaneProps } from './tab-area.tsx';
import './terminal-tab.css';

const PREVIEW_LETTERS = 2000;

export function TerminalTab(props: PaneProps) {
  const app = useApp();
  const workspace = useWorkspace();
  const { t } = app;
  const queries = useQueryClient();
  const controller = createTerminalController({
    app,
    workspace,
    tab: props.tab,
    active: () => props.active,
    onSettled: () => queries.invalidateQueries({ queryKey: ['servers'] }),
  });
  let host: HTMLDivElement | undefined;
  onMount(() => host && controller.attach(host));
  createPaneFocus(workspace, controller.ready, controller.focus);

  const ending = createMemo((): Ending | undefined => {
    const state = controller.state();
    return state.kind === 'over' ? state.ending : undefined;
  });

  return (
    <section class="terminal" aria-label={t('terminal_of', { name: props.tab.server_name })}>
      <Switch>
        <Match when={controller.state().kind === 'connecting'}>
          <p class="banner banner-over" role="status">
            <span class="spinner" aria-hidden="true" /> {t('connecting_to', { name: props.tab.server_name })}
          </p>
        </Match>
        <Match when={controller.state().kind === 'idle'}>
          <Banner title={t('idle_title')} tab_id={props.tab.id} onOpenAgain={controller.openAgain} />
        </Match>
        <Match when={ending()}>
          {(over) => (
            <Banner
              {...describeEnding(over(), props.tab.server_name, t)}
              bad={over().kind !== 'exit'}
              tab_id={props.tab.id}
              onOpenAgain={controller.openAgain}
            >
              <Show when={isKeyChanged(over())}>
                <AcceptKeyButton server_id={props.tab.server_id} />
              </Show>
            </Banner>
          )}
        </Match>
      </Switch>
      <div class="terminal-host" ref={host} />
      <KeyBar controller={controller} />
      <Show when={controller.paste.pending()}>
        {(text) => (
          <Confirm
            title={t('paste_title')}
            text={t('paste_text', {
              lines: text()
                .trimEnd()
                .split(/\r\n|\r|\n/).length,
            })}
            action={t('paste')}
            onConfirm={() => controller.paste.answer(true)}
            onClose={() => controller.paste.answer(false)}
          >
            <pre class="paste-preview">{text().slice(0, PREVIEW_LETTERS)}</pre>
          </Confirm>
        )}
      </Show>
    </section>
  );
}

interface BannerProps {
  readonly title: string;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
  readonly bad?: boolean;
  readonly tab_id: string;
  readonly onOpenAgain: () => void;
}

function Banner(props: ParentProps<BannerProps>) {
  const { t } = useApp();
  const { tabs } = useWorkspace();
  return (
    <div class="banner" classList={{ 'banner-bad': props.bad ?? false }} role="alert">
      <p class="banner-text">
        <strong>{props.title}</strong>
        <Show when={props.detail}>
          <span>{props.detail}</span>
        </Show>
        <Show when={props.hint}>
          <span class="banner-hint">{props.hint}</span>
        </Show>
      </p>
      <div class="banner-actions">
        <button type="button" class="button" onClick={() => props.onOpenAgain()}>
          {t('open_again')}
        </button>
        {props.children}
        <button type="button" class="button button-quiet" onClick={() => tabs.close(props.tab_id)}>
          {t('close_tab')}
        </button>
      </div>
    </div>
  );
}

/** For those who may: the way out stands beside the reason. */
function AcceptKeyButton(props: { server_id: number }) {
  const { client, session, t } = useApp();
  const { show } = useWorkspace();
  const servers = useQuery(() => serversQuery(client));
  const server = () => servers.data?.find(({ id }) => id === props.server_id);
  return (
    <Show when={session.user()?.is_admin && server()}>
      {(present) => (
        <button type="button" class="button" onClick={() => show({ kind: 'host_key', server: present() })}>
          {t('accept_new_key')}
        </button>
      )}
    </Show>
  );
}

function isKeyChanged(ending: Ending): boolean {
  return 'error' in ending && ending.error.code === 'host_key_changed';
}
