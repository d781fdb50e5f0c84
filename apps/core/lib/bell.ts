/** Tells whoever listens that there is something to look at. */
export interface Bell {
  ring(): void;
  /** One listener; the returned function sends it away. */
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
