import { useQueryClient } from '@tanstack/solid-query';
import { createEffect, on, onMount, Show } from 'solid-js';
import { useApp } from '../state/app-context.ts';
import { mayTakeFocus } from '../state/focus.ts';
import { createPaneFocus } from '../state/pane-focus.ts';
import { useWorkspace } from '../state/workspace.ts';
import { createTerminalController, type TerminalController } from '../terminal/controller.ts';
import { KeyBar } from './key-bar.tsx';
import { PasteDialogs } from './paste-dialogs.tsx';
import type { PaneProps } from './tab-area.tsx';
import { TerminalBanner, TerminalCutOff } from './terminal-banner.tsx';
import { TerminalBar } from './terminal-bar.tsx';
import { TerminalClipboard } from './terminal-clipboard.tsx';
import { TerminalNotice } from './terminal-notice.tsx';
import { TerminalPrompt } from './terminal-prompt.tsx';
import { TerminalScreen } from './terminal-screen.tsx';
import { TerminalSearch } from './terminal-search.tsx';
import './terminal-tab.css';

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

/** The keys go to the shell, to a question that comes before it, or to the next step where none takes them any more. */
function createTerminalFocus(props: PaneProps, controller: TerminalController, places: () => Places): void {
  const workspace = useWorkspace();
  const focus = () => {
    const target = places().root?.querySelector<HTMLElement>('[data-takes-focus]');
    if (target) target.focus();
    else controller.focus();
  };
  createPaneFocus(workspace, controller.ready, focus);
  const has_keys = () => props.active && isFocusWithin(places().host);
  createEffect(on(controller.ended, (ended) => ended && has_keys() && queueMicrotask(focus)));
  createEffect(
    on(controller.prompt, (asked) => {
      if (asked && props.active) queueMicrotask(() => mayTakeFocus() && focus());
    }),
  );
}

/** Or nowhere, when what had it is gone. */
function isFocusWithin(place: HTMLElement | undefined): boolean {
  const { activeElement, body } = document;
  return activeElement === body || place?.contains(activeElement) === true;
}
