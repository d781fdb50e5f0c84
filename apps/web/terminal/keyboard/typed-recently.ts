const RECENTLY_MS = 700;

type Key = Pick<KeyboardEvent, 'timeStamp'>;

export interface TypedRecently {
  /** A key was typed for a shell, or one that has just ended. */
  typed(key: Key): void;
  /** A key this soon after others was meant for the shell too. */
  isOn(key: Key): boolean;
}

/** When a shell ends, distinguishes keys still meant for it from a reaction to its end. */
export function createTypedRecently(): TypedRecently {
  let typed_ms = Number.NEGATIVE_INFINITY;
  return {
    typed({ timeStamp }) {
      typed_ms = timeStamp;
    },
    isOn: ({ timeStamp }) => timeStamp - typed_ms < RECENTLY_MS,
  };
}
