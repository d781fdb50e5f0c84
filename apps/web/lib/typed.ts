import { createEffect, createSignal, on, onCleanup } from 'solid-js';

const TYPING_PAUSE_MS = 300;

/** Debounces typed text; a value set from outside replaces the text at once. */
export function createTyped(value: () => string, settle: (value: string) => void) {
  const [text, setText] = createSignal(value());
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  onCleanup(stop);
  createEffect(
    on(
      value,
      (settled) => {
        stop();
        setText(settled);
      },
      { defer: true },
    ),
  );
  return {
    text,
    type(typed: string) {
      stop();
      setText(typed);
      timer = setTimeout(() => settle(typed), TYPING_PAUSE_MS);
    },
    /** Empties the text at once, also one whose pause is not over. */
    clear() {
      stop();
      setText('');
      settle('');
    },
  };
}
