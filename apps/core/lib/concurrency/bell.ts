/** Wakes a listener that has work to do. */
export interface Bell {
  ring(): void;
  /** Supports one listener; the returned function removes it. */
  listen(run: () => void): () => void;
}

export function createBell(): Bell {
  let listener: (() => void) | undefined;
  return {
    ring: () => listener?.(),
    listen(run) {
      listener = run;
      return () => {
        listener = undefined;
      };
    },
  };
}
