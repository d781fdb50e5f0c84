import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createEffect, createMemo, Match, on, onMount, type ParentProps, Show, Switch } from 'solid-js';
import type { Ending } from '#client/terminal-ending.ts';
import { useApp } from '../state/app-context.ts';
import { useWhyFixed } from '../state/config.ts';
import { createPaneFocus } from '../state/pane-focus.ts';
import { hopNamed, type Server, serversQuery } from '../state/servers.ts';
import { useWorkspace } from '../state/workspace.ts';
import { createTerminalController } from '../terminal/controller.ts';
import { describeEnding } from '../terminal/status.ts';
import { KeyBar } from './key-bar.tsx';
import { PasteDialogs } from './paste-dialogs.tsx';
import type { PaneProps } from './tab-area.tsx';
import './terminal-tab.css';

const FINGERPRINT = /SHA256:[A-Za-z0-9+/]{43}/; // the frame has no field of its own for it

type Refusal = Extract<Ending, { error: unknown }>['error'];

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
    onSettled: () => {
      for (const key of ['servers', 'health']) void queries.invalidateQueries({ queryKey: [key] });
    },
  });
  const idle_title = () => {
    const why = app.session.last_farewell();
    return why ? (`idle_${why}` as const) : 'idle_title';
  };
  let host: HTMLDivElement | undefined;
  let root: HTMLElement | undefined;
  onMount(() => host && controller.attach(host));
  const focus = () => {
    const button = root?.querySelector<HTMLElement>('[data-takes-focus]');
    if (button) button.focus();
    else controller.focus();
  };
  createPaneFocus(workspace, controller.ready, focus);
  // Where no shell takes the keys any more they lead to the next step.
  createEffect(
    on(controller.ended, (ended) => ended && host?.contains(document.activeElement) && queueMicrotask(focus)),
  );

  const ending = createMemo((): Ending | undefined => {
    const state = controller.state();
    return state.kind === 'over' ? state.ending : undefined;
  });

  return (
    <section class="terminal" aria-label={t('terminal_of', { name: props.tab.server_name })} ref={root}>
      <Switch>
        <Match when={controller.state().kind === 'connecting'}>
          <p class="banner banner-over" role="status">
            <span class="spinner" aria-hidden="true" /> {t('connecting_to', { name: props.tab.server_name })}
          </p>
        </Match>
        <Match when={controller.state().kind === 'idle'}>
          <Banner title={t(idle_title())} tab_id={props.tab.id} onOpenAgain={controller.openAgain} />
        </Match>
        <Match when={ending()}>
          {(over) => (
            <Banner
              {...describeEnding(over(), props.tab.server_name, t)}
              bad={over().kind !== 'exit'}
              tab_id={props.tab.id}
              onOpenAgain={controller.openAgain}
            >
              <Show when={keyChange(over())}>
                {(refusal) => (
                  <AcceptKeyButton
                    server_id={props.tab.server_id}
                    refusal={refusal()}
                    onAccepted={controller.openAgain}
                  />
                )}
              </Show>
            </Banner>
          )}
        </Match>
      </Switch>
      <div class="terminal-host" ref={host} />
      <KeyBar controller={controller} />
      <PasteDialogs paste={controller.paste} />
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
        <button type="button" class="button" data-takes-focus onClick={() => props.onOpenAgain()}>
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

interface AcceptKeyProps {
  readonly server_id: number;
  readonly refusal: Refusal;
  readonly onAccepted: () => void;
}

/** For those who may: the way out stands beside the reason. The key may be that of a jump host. */
function AcceptKeyButton(props: AcceptKeyProps) {
  const { client, session, t } = useApp();
  const { show, wishFocus } = useWorkspace();
  const servers = useQuery(() => serversQuery(client));
  const why = useWhyFixed();
  const server = () => hopNamed(servers.data ?? [], props.server_id, props.refusal.hop);
  const ask = (hop: Server) =>
    show({
      kind: 'host_key',
      server: hop,
      presented: FINGERPRINT.exec(props.refusal.message)?.[0],
      onAccepted() {
        props.onAccepted();
        wishFocus();
      },
    });
  return (
    <Show when={session.user()?.is_admin && why() === undefined && server()}>
      {(present) => (
        <button type="button" class="button" onClick={() => ask(present())}>
          {t('accept_new_key')}
        </button>
      )}
    </Show>
  );
}

function keyChange(ending: Ending): Refusal | undefined {
  return 'error' in ending && ending.error.code === 'host_key_changed' ? ending.error : undefined;
}
