import { type Accessor, createEffect, createSignal, on } from 'solid-js';

export interface StepUpQuestion {
  readonly asked: Accessor<boolean>;
  /** Resolves to whether the user has confirmed since the request was sent; requests share a question that is open. */
  ask(sent_at_ms: number): Promise<boolean>;
  answer(is_confirmed: boolean): void;
}

/** Whether the user must confirm the session now. The end of the session answers no. */
export function createStepUpQuestion(token: Accessor<string | undefined>): StepUpQuestion {
  const [asked, setAsked] = createSignal(false);
  const waiting = new Set<(is_confirmed: boolean) => void>();
  let confirmed_at_ms = Number.NEGATIVE_INFINITY;
  function answer(is_confirmed: boolean): void {
    if (is_confirmed) confirmed_at_ms = performance.now();
    for (const resolve of waiting) resolve(is_confirmed);
    waiting.clear();
    setAsked(false);
  }
  createEffect(on(token, () => answer(false), { defer: true }));
  return {
    asked,
    answer,
    async ask(sent_at_ms) {
      if (sent_at_ms < confirmed_at_ms) return true;
      setAsked(true);
      return new Promise((resolve) => waiting.add(resolve));
    },
  };
}
