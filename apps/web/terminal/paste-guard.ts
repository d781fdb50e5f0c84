import { type Accessor, createSignal } from 'solid-js';
import { isMultiline } from './clipboard.ts';

export interface PasteGuard {
  /** Several lines that wait for an answer. */
  readonly pending: Accessor<string | undefined>;
  offer(text: string): void;
  answer(accepted: boolean): void;
}

/** Asks before several lines reach a shell. */
export function createPasteGuard(asks: () => boolean, paste: (text: string) => void): PasteGuard {
  const [pending, setPending] = createSignal<string>();
  return {
    pending,
    offer(text) {
      if (asks() && isMultiline(text)) setPending(text);
      else if (text !== '') paste(text);
    },
    answer(accepted) {
      const text = pending();
      setPending(undefined);
      if (accepted && text !== undefined) paste(text);
    },
  };
}
