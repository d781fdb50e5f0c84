import type { After } from '../lib/timers.ts';
import type { ParticipantInfo } from '../model/terminal.ts';

const TYPING_MS = 3000;

export type RosterEntry = Omit<ParticipantInfo, 'typing' | 'you'>;

/** Who types: told when that changes, not for every key. */
export interface Typing {
  typed(id: string): void;
  typist(): string | undefined;
  stop(): void;
}

export function createTyping(after: After, changed: () => void): Typing {
  let typist: string | undefined;
  let again = false;
  let cancel: (() => void) | undefined;

  function look(): void {
    if (again) {
      again = false;
      cancel = after(TYPING_MS, look);
      return;
    }
    cancel = undefined;
    typist = undefined;
    changed();
  }

  return {
    typed(id) {
      again = cancel !== undefined;
      if (typist === id) return;
      typist = id;
      cancel ??= after(TYPING_MS, look);
      changed();
    },
    typist: () => typist,
    stop: () => cancel?.(),
  };
}

/** The list as one of them sees it. */
export function rosterFor(
  you: string,
  entries: readonly RosterEntry[],
  typist: string | undefined,
): ParticipantInfo[] {
  return entries.map((entry) => ({ ...entry, typing: entry.id === typist, you: entry.id === you }));
}
