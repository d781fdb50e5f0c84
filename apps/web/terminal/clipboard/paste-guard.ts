import { type Accessor, createSignal } from 'solid-js';
import { isMultiline } from '../../lib/clipboard.ts';

export interface PasteGuard {
  /** Several lines that wait for confirmation. */
  readonly pending: Accessor<string | undefined>;
  /** The browser refused to let the page read the clipboard. */
  readonly refused: Accessor<boolean>;
  offer(text: string): void;
  /** Pastes the clipboard without a keyboard shortcut. */
  read(): Promise<void>;
  dismiss(): void;
  answer(accepted: boolean): void;
}

/** Asks before several lines are sent to a shell. */
export function createPasteGuard(asks: () => boolean, paste: (text: string) => void): PasteGuard {
  const [pending, setPending] = createSignal<string>();
  const [refused, setRefused] = createSignal(false);
  function offer(text: string): void {
    if (asks() && isMultiline(text)) setPending(text);
    else if (text !== '') paste(text);
  }
  return {
    pending,
    refused,
    offer,
    async read() {
      try {
        offer(await navigator.clipboard.readText());
      } catch {
        setRefused(true); // denied, or plain http without a clipboard API
      }
    },
    dismiss: () => setRefused(false),
    answer(accepted) {
      const text = pending();
      setPending(undefined);
      if (accepted && text !== undefined) paste(text);
    },
  };
}
