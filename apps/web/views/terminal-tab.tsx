import { useQueryClient } from '@tanstack/solid-query';
import { createEffect, createMemo, Match, on, onMount, type ParentProps, Show, Switch } from 'solid-js';
import type { Ending } from '#client/terminal-ending.ts';
import { useApp } from '../state/app-context.ts';
import { mayTakeFocus } from '../state/focus.ts';
import { createPaneFocus } from '../state/pane-focus.ts';
import { fingerprintIn } from '../state/servers.ts';
import type { Tab } from '../state/tabs.ts';
import { useWorkspace } from '../state/workspace.ts';
import { createTerminalController, type TerminalController } from '../terminal/controller.ts';
import { describeEnding } from '../terminal/status.ts';
import { AcceptKeyButton } from './accept-key-button.tsx';
import { KeyBar } from './key-bar.tsx';
import { PasteDialogs } from './paste-dialogs.tsx';
import type { PaneProps } from './tab-area.tsx';
import { TerminalPrompt } from './terminal-prompt.tsx';
import './terminal-tab.css';

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
  const has_keys = () => props.active && isFocusWithin(host);
  createEffect(on(controller.ended, (ended) => ended && has_keys() && queueMicrotask(focus)));
  // A question takes the keys from the terminal behind it.
  createEffect(
    on(controller.prompt, (asked) => {
      if (asked && props.active) queueMicrotask(() => mayTakeFocus() && focus());
    }),
  );
  const answer = (answers: string[]) => {
    controller.answer(answers);
    controller.focus();
  };
  const openAccepted = () => {
    controller.openAgain();
    workspace.wishFocus();
  };

  return (
    <section class="terminal" aria-label={t('terminal_of', { name: props.tab.server_name })} ref={root}>
      <TerminalBanner controller={controller} tab={props.tab} onAccepted={openAccepted} />
      <div class="terminal-host" ref={host} />
      <Show when={controller.prompt()} keyed>
        {(prompt) => <TerminalPrompt prompt={prompt} onAnswer={answer} onGiveUp={controller.giveUp} />}
      </Show>
      <KeyBar controller={controller} />
      <PasteDialogs paste={controller.paste} />
    </section>
  );
}

interface TerminalBannerProps {
  readonly controller: TerminalController;
  readonly tab: Tab;
  readonly onAccepted: () => void;
}

/** What is said while no shell is there. */
function TerminalBanner(props: TerminalBannerProps) {
  const { session, t } = useApp();
  const idle_title = () => {
    const why = session.last_farewell();
    return why ? (`idle_${why}` as const) : 'idle_title';
  };
  const ending = createMemo((): Ending | undefined => {
    const state = props.controller.state();
    return state.kind === 'over' ? state.ending : undefined;
  });

  return (
    <Switch>
      <Match when={props.controller.prompt()}>{null}</Match>
      <Match when={props.controller.state().kind === 'connecting'}>
        <p class="banner banner-over" role="status">
          <span class="spinner" aria-hidden="true" /> {t('connecting_to', { name: props.tab.server_name })}
        </p>
      </Match>
      <Match when={props.controller.state().kind === 'idle'}>
        <Banner title={t(idle_title())} tab_id={props.tab.id} onOpenAgain={props.controller.openAgain} />
      </Match>
      <Match when={ending()}>
        {(over) => (
          <Banner
            {...describeEnding(over(), props.tab.server_name, t)}
            bad={over().kind !== 'exit' && over().kind !== 'given_up'}
            tab_id={props.tab.id}
            onOpenAgain={props.controller.openAgain}
          >
            <Show when={keyChange(over())}>
              {(refusal) => (
                <AcceptKeyButton
                  server_id={props.tab.server_id}
                  hop={refusal().hop}
                  presented={fingerprintIn(refusal().message)}
                  onAccepted={props.onAccepted}
                />
              )}
            </Show>
          </Banner>
        )}
      </Match>
    </Switch>
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

/** Or nowhere, when what had it is gone. */
function isFocusWithin(place: HTMLElement | undefined): boolean {
  const { activeElement, body } = document;
  return activeElement === body || place?.contains(activeElement) === true;
}

function keyChange(ending: Ending): Refusal | undefined {
  return 'error' in ending && ending.error.code === 'host_key_changed' ? ending.error : undefined;
}
