import { type Accessor, createSignal } from 'solid-js';
import { isMultiline } from '../../lib/clipboard.ts';
import { type CleanText, withoutControls } from '../../lib/controls.ts';

export interface PasteGuard {
  /** A paste that waits for confirmation: several lines, or text that contained control characters. */
  readonly pending: Accessor<CleanText | undefined>;
  /** The browser refused to let the page read the clipboard. */
  readonly refused: Accessor<boolean>;
  offer(text: string): void;
  /** A paste of text that the user did not write: several lines always ask. */
  propose(text: string): void;
  /** Pastes the clipboard without a keyboard shortcut. */
  read(): Promise<void>;
  dismiss(): void;
  answer(accepted: boolean): void;
}

/** Removes control characters from a paste. Asks when it had to, and before several lines are sent to a shell. */
export function createPasteGuard(asks: () => boolean, paste: (text: string) => void): PasteGuard {
  const [pending, setPending] = createSignal<CleanText>();
  const [refused, setRefused] = createSignal(false);
  function take(offered: string, asks_for_lines: boolean): void {
    const clean = withoutControls(offered);
    if (clean.removed.length > 0 || (asks_for_lines && isMultiline(clean.text))) setPending(clean);
    else if (clean.text !== '') paste(clean.text);
  }
  const offer = (text: string) => take(text, asks());
  return {
    pending,
    refused,
    offer,
    propose: (text) => take(text, true),
    async read() {
      try {
        offer(await navigator.clipboard.readText());
      } catch {
        setRefused(true); // denied, or plain http without a clipboard API
      }
    },
    dismiss: () => setRefused(false),
    answer(accepted) {
      const text = pending()?.text ?? '';
      setPending(undefined);
      if (accepted && text !== '') paste(text);
    },
  };
}
