const HASTE_MS = 700;

type Key = Pick<KeyboardEvent, 'timeStamp'>;

export interface Haste {
  /** For a shell, or for one that has just ended. */
  typed(key: Key): void;
  /** So soon after others, a key was on its way to the shell as well. */
  isOn(key: Key): boolean;
}

/** Tells whoever goes on typing, when a shell ends, from whoever answers to the end of it. */
export function createHaste(): Haste {
  let typed_ms = Number.NEGATIVE_INFINITY;
  return {
    typed({ timeStamp }) {
      typed_ms = timeStamp;
    },
    isOn: ({ timeStamp }) => timeStamp - typed_ms < HASTE_MS,
  };
}
