import type { After } from '../../lib/time/timers.ts';

const TYPING_MS = 3000;
const ANNOUNCE_EVERY_MS = 250; // when two members type alternately

/** Tracks which member is typing; calls `changed` when that changes, not for every key. */
export interface TypingIndicator {
  typed(member_id: string): void;
  member_id(): string | undefined;
  stop(): void;
}

export function createTypingIndicator(after: After, changed: () => void): TypingIndicator {
  let typing_id: string | undefined;
  let has_typed_again = false;
  let cancelExpiry: (() => void) | undefined;
  let cancelPause: (() => void) | undefined;
  let is_due = false;

  function announce(): void {
    is_due = cancelPause !== undefined;
    if (is_due) return;
    cancelPause = after(ANNOUNCE_EVERY_MS, () => {
      cancelPause = undefined;
      if (is_due) announce();
    });
    changed();
  }

  function expire(): void {
    if (has_typed_again) {
      has_typed_again = false;
      cancelExpiry = after(TYPING_MS, expire);
      return;
    }
    cancelExpiry = undefined;
    typing_id = undefined;
    announce();
  }

  return {
    typed(member_id) {
      has_typed_again = cancelExpiry !== undefined;
      if (typing_id === member_id) return;
      typing_id = member_id;
      cancelExpiry ??= after(TYPING_MS, expire);
      announce();
    },
    member_id: () => typing_id,
    stop() {
      cancelExpiry?.();
      cancelPause?.();
    },
  };
}
