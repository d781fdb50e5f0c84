import type { After } from '../../lib/timers.ts';
import type { ParticipantInfo } from '../../model/terminal.ts';

const TYPING_MS = 3000;
const TELL_EVERY_MS = 250; // of two who type in turn

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
  let cancelPause: (() => void) | undefined;
  let is_due = false;

  function tell(): void {
    is_due = cancelPause !== undefined;
    if (is_due) return;
    cancelPause = after(TELL_EVERY_MS, () => {
      cancelPause = undefined;
      if (is_due) tell();
    });
    changed();
  }

  function look(): void {
    if (again) {
      again = false;
      cancel = after(TYPING_MS, look);
      return;
    }
    cancel = undefined;
    typist = undefined;
    tell();
  }

  return {
    typed(id) {
      again = cancel !== undefined;
      if (typist === id) return;
      typist = id;
      cancel ??= after(TYPING_MS, look);
      tell();
    },
    typist: () => typist,
    stop() {
      cancel?.();
      cancelPause?.();
    },
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
