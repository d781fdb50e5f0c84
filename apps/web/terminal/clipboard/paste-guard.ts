import { type Accessor, createSignal } from 'solid-js';
import { isMultiline } from '../../lib/clipboard.ts';

export interface PasteGuard {
  /** Several lines that wait for an answer. */
  readonly pending: Accessor<string | undefined>;
  /** The browser kept the clipboard from the page. */
  readonly refused: Accessor<boolean>;
  offer(text: string): void;
  /** Pastes what the clipboard holds, without a key. */
  read(): Promise<void>;
  dismiss(): void;
  answer(accepted: boolean): void;
}

/** Asks before several lines reach a shell. */
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
        setRefused(true); // not allowed, or plain http where there is no such clipboard
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
