import { type Accessor, createEffect, on } from 'solid-js';
import type { TerminalSize } from '#client/terminal/target.ts';
import { createPageHidden } from '../lib/returns.ts';
import type { Tab } from '../workspace/tabs/tabs.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { isGuest } from './opening/aims-of-tabs.ts';
import type { OutputQueue } from './output/queue.ts';
import type { Pane } from './pane/pane.ts';
import type { SessionFacts } from './session-facts.ts';
import type { ShellLink } from './shell-link.ts';

interface Showing {
  readonly workspace: Workspace;
  readonly tab: Tab;
  readonly pane: Accessor<Pane | undefined>;
  readonly queue: OutputQueue;
  readonly link: ShellLink;
  readonly facts: SessionFacts;
}

/** A hidden terminal is not drawn. What it received is drawn at the size it was written for, and then fitted. */
export function drawWhileShown({ workspace, tab, pane, queue, link, facts }: Showing): void {
  const is_page_hidden = createPageHidden();
  let was_shown = false;
  let written_for: TerminalSize | undefined;

  function fit(opened: Pane): void {
    opened.release();
    const size = opened.size();
    if (size && !isGuest(tab)) link.resize(size);
  }

  function fitOnceDrawn(opened: Pane, screen_bytes: number): void {
    if (isGuest(tab) || !written_for || queue.pending() + screen_bytes === 0) {
      fit(opened);
      return;
    }
    opened.hold(written_for);
    queue.whenDrawn(() => fit(opened), screen_bytes);
  }

  createEffect(() => {
    const opened = pane();
    const is_shown = workspace.panes.isShown(tab.id) && !is_page_hidden();
    if (opened && is_shown) fitOnceDrawn(opened, 0);
    else if (was_shown) written_for = opened?.size();
    was_shown = is_shown;
    queue.setShown(is_shown && opened !== undefined);
  });
  createEffect(
    on(facts.start, (start) => {
      if (!start) return;
      written_for = start.size;
      const opened = pane();
      if (!opened || !was_shown) return;
      if (start.screen_bytes > 0) fitOnceDrawn(opened, start.screen_bytes);
      else queue.whenDrawn(() => fit(opened)); // the socket before may have broken off within a screen
    }),
  );
}
