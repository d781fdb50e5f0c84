import { type Accessor, createEffect, onCleanup, untrack } from 'solid-js';
import type { TypedNews } from '../handle.ts';
import type { Pane } from '../pane/pane.ts';

const kept = new Map<string, string>();

/** Kept in memory only: a reload does not insert the text again. */
export function keepForPrompt(tab_id: string, text: string): void {
  kept.set(tab_id, text);
}

function takeForPrompt(tab_id: string): string | undefined {
  const text = kept.get(tab_id);
  kept.delete(tab_id);
  return text;
}

interface Parts {
  readonly pane: Accessor<Pane | undefined>;
  readonly typed: TypedNews;
  /** Pastes one line, without a line end. */
  readonly propose: (text: string) => void;
}

/** Puts the text that was kept for this tab at the first prompt of its shell, unless the user types before. */
export function insertAtFirstPrompt(tab_id: string, { pane, typed, propose }: Parts): void {
  let stop = () => {};
  createEffect(() => {
    const opened = pane();
    const text = opened && takeForPrompt(tab_id);
    if (!opened || text === undefined) return;
    const forget = opened.whenPrompting(() => {
      stop();
      untrack(() => propose(text));
    });
    const unlisten = typed.on(() => stop());
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
