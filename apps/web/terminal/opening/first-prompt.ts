import { type Accessor, createEffect, onCleanup, untrack } from 'solid-js';
import { type FirstInput, takeForPrompt } from '../../open-terminals/first-prompt.ts';
import type { TypedNews } from '../handle.ts';
import type { Pane } from '../pane/pane.ts';

interface Parts {
  readonly pane: Accessor<Pane | undefined>;
  readonly typed: TypedNews;
  /** Pastes one line, without a line end. */
  readonly propose: (text: string) => void;
  readonly send: (text: string) => void;
  /** The user typed first. */
  readonly onDropped: (input: FirstInput) => void;
}

/** Puts the text that was kept for this tab at the first prompt of its shell, unless the user types before. */
export function insertAtFirstPrompt(tab_id: string, parts: Parts): void {
  const { pane, typed, onDropped } = parts;
  let stop = () => {};
  createEffect(() => {
    const opened = pane();
    const input = opened && takeForPrompt(tab_id);
    if (!opened || input === undefined) return;
    const forget = opened.whenPrompting(() => {
      stop();
      untrack(() => parts[input.how](input.text));
    });
    const unlisten = typed.on(() => {
      stop();
      onDropped(input);
    });
    stop = () => {
      forget();
      unlisten();
    };
  });
  onCleanup(() => {
    stop();
    takeForPrompt(tab_id);
  });
}
