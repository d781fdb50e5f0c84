import { useQueryClient } from '@tanstack/solid-query';
import { createEffect, on, onCleanup, onMount, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { useOpenTerminals } from '../open-terminals/open-terminals.ts';
import { isFocusLost } from '../parts/focus.ts';
import { mayTakeFocus } from '../workspace/focus.ts';
import { createPaneFocus } from '../workspace/panes/focus.ts';
import type { PaneProps } from '../workspace/tabs/tabs.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { TerminalBanner, TerminalCutOff } from './banner.tsx';
import { TerminalBar } from './bar/bar.tsx';
import { PasteDialogs } from './clipboard/paste-dialogs.tsx';
import { TerminalClipboard } from './clipboard/requests-view.tsx';
import { createTerminalController, type TerminalController } from './controller.ts';
import { HostBanners } from './host-banners.tsx';
import { KeyBar } from './keyboard/key-bar.tsx';
import { TerminalNotice } from './notice.tsx';
import { TerminalPrompt } from './prompt.tsx';
import { TerminalScreen } from './screen.tsx';
import { TerminalSearch } from './search/search-view.tsx';
import './tab.css';

export function TerminalTab(props: PaneProps) {
  const app = useApp();
  const workspace = useWorkspace();
  const { t } = app;
  const queries = useQueryClient();
  const controller = createTerminalController({
    app,
    workspace,
    open_terminals: useOpenTerminals(),
    tab: props.tab,
    active: () => props.active,
    onSettled: () => {
      for (const key of ['servers', 'health']) void queries.invalidateQueries({ queryKey: [key] });
    },
  });
  let host: HTMLDivElement | undefined;
  let root: HTMLElement | undefined;
  onMount(() => host && controller.attach(host));
  createTerminalFocus(props, controller, () => ({ root, host }));
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
      <TerminalBar handle={controller.handle} />
      <TerminalBanner controller={controller} tab={props.tab} onAccepted={openAccepted} />
      <TerminalNotice controller={controller} />
      <HostBanners controller={controller} />
      <TerminalClipboard controller={controller} name={props.tab.server_name} />
      <div class="terminal-middle">
        <TerminalScreen controller={controller}>
          <div class="terminal-host" ref={host} />
        </TerminalScreen>
        <TerminalCutOff controller={controller} />
        <Show when={controller.search.is_open()}>
          <TerminalSearch controller={controller} />
        </Show>
        <Show when={controller.prompt()} keyed>
          {(prompt) => <TerminalPrompt prompt={prompt} onAnswer={answer} onGiveUp={controller.giveUp} />}
        </Show>
      </div>
      <KeyBar controller={controller} />
      <PasteDialogs paste={controller.paste} tab_id={props.tab.id} />
    </section>
  );
}

interface Places {
  readonly root: HTMLElement | undefined;
  readonly host: HTMLElement | undefined;
}

/** Focuses the shell, or a prompt before it. An ending does not take the focus from a user who is typing; Tab leads there. */
function createTerminalFocus(props: PaneProps, controller: TerminalController, places: () => Places): void {
  const { place } = useApp();
  const workspace = useWorkspace();
  const nextStep = () => places().root?.querySelector<HTMLElement>('[data-takes-focus]');
  const focus = () => {
    const target = nextStep();
    if (target) target.focus();
    else controller.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Tab' || event.shiftKey || !controller.ended()) return;
    event.preventDefault();
    focus();
  };
  createPaneFocus(workspace, controller.ready, focus);
  onMount(() => places().host?.addEventListener('keydown', onKeyDown));
  onCleanup(() => places().host?.removeEventListener('keydown', onKeyDown));
  createEffect(
    on(controller.ended, (ended) => ended && props.active && isFocusLost() && queueMicrotask(focus)),
  );
  createEffect(
    on(controller.prompt, (asked) => {
      if (asked && props.active) queueMicrotask(() => mayTakeFocus(place) && focus());
    }),
  );
}
