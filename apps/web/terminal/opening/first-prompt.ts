import { type Accessor, createEffect, onCleanup, untrack } from 'solid-js';
import { type FirstInput, takeForPrompt } from '../../open-terminals/first-prompt.ts';
import type { TypedNews } from '../handle.ts';
import type { Pane } from '../pane/pane.ts';
import type { TerminalState } from '../shell-link.ts';

interface Doings {
  readonly typed: Pick<TypedNews, 'on'>;
  /** Pastes one line, without a line end. */
  readonly propose: (text: string) => void;
  readonly send: (text: string) => void;
  /** The user typed first, or has opened the shell again after it had ended without a prompt. */
  readonly onDropped: (input: FirstInput, why: 'typed' | 'ended') => void;
}

/** A text that waits for the first prompt of a shell. */
export interface WaitingInput {
  begin(input: FirstInput, pane: Pick<Pane, 'whenPrompting'>): void;
  /** A user who opens the shell again, perhaps hours later, does not expect it to run a command by itself. */
  follow(state: TerminalState['kind']): void;
  stop(): void;
}

export function createWaitingInput({ typed, onDropped, ...insert }: Doings): WaitingInput {
  let stop = () => {};
  let waiting: FirstInput | undefined;
  let ended: FirstInput | undefined;
  return {
    begin(input, pane) {
      waiting = input;
      const insertNow = () => {
        stop();
        insert[input.how](input.text);
      };
      const forget = pane.whenPrompting(insertNow, { is_strict: input.how === 'send' });
      const unlisten = typed.on(() => {
        stop();
        onDropped(input, 'typed');
      });
      stop = () => {
        waiting = undefined;
        forget();
        unlisten();
      };
    },
    follow(state) {
      if (state === 'over' && waiting?.how === 'send') {
        ended = waiting;
        stop();
      } else if (state === 'open' && ended !== undefined) {
        onDropped(ended, 'ended');
        ended = undefined;
      }
    },
    stop: () => stop(),
  };
}

interface Parts extends Doings {
  readonly pane: Accessor<Pane | undefined>;
  readonly state: Accessor<TerminalState>;
}

/** Puts the text that was kept for this tab at the first prompt of its shell, unless the user types before. */
export function insertAtFirstPrompt(tab_id: string, { pane, state, ...doings }: Parts): void {
  const waiting = createWaitingInput(doings);
  createEffect(() => {
    const opened = pane();
    const input = opened && takeForPrompt(tab_id);
    if (opened && input) waiting.begin(input, opened);
  });
  createEffect(() => {
    const { kind } = state();
    untrack(() => waiting.follow(kind));
  });
  onCleanup(() => {
    waiting.stop();
    takeForPrompt(tab_id);
  });
}
