const ASK_MS = 2000; // without an answer to a key
const SILENT_MS = 3000;

/** Notices that nothing answers what is typed. */
export interface Silence {
  typed(): void;
  /** Any frame is an answer. */
  heard(): void;
  stop(): void;
}

interface Options {
  /** Asks for a sign of life. */
  ask(): void;
  /** Since when nothing has answered, by `Date.now()`; undefined once something does. */
  changed(since_ms: number | undefined): void;
}

export function createSilence({ ask, changed }: Options): Silence {
  let asking: ReturnType<typeof setTimeout> | undefined;
  let telling: ReturnType<typeof setTimeout> | undefined;
  let is_told = false;

  function stop(): void {
    clearTimeout(asking);
    clearTimeout(telling);
    asking = telling = undefined;
    if (is_told) changed(undefined);
    is_told = false;
  }

  return {
    typed() {
      if (asking !== undefined) return;
      const since_ms = Date.now();
      asking = setTimeout(ask, ASK_MS);
      telling = setTimeout(() => {
        is_told = true;
        changed(since_ms);
      }, SILENT_MS);
    },
    heard: stop,
    stop,
  };
}
