import { createSignal, onCleanup } from 'solid-js';
import type { Command } from './command.ts';

/** What the palette can do in a tab, as its content offers it. */
export interface TabCommands {
  of(tab_id: string): readonly Command[];
  /** Until its owner is disposed. */
  offer(tab_id: string, commands: () => readonly Command[]): void;
}

interface Offer {
  readonly tab_id: string;
  readonly commands: () => readonly Command[];
}

export function createTabCommands(): TabCommands {
  const [offers, setOffers] = createSignal<readonly Offer[]>([]);
  return {
    of: (tab_id) =>
      offers()
        .filter((offer) => offer.tab_id === tab_id)
        .flatMap(({ commands }) => commands()),
    offer(tab_id, commands) {
      const offer = { tab_id, commands };
      setOffers((all) => [...all, offer]);
      onCleanup(() => setOffers((all) => all.filter((one) => one !== offer)));
    },
  };
}
