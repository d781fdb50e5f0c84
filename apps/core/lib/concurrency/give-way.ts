const TURN_MS = 10;

export type GiveWay = () => Promise<void> | undefined;

/** Await it between the steps of long work: it yields to the event loop every 10 ms. */
export function createGiveWay(): GiveWay {
  let since_ms = performance.now();
  return () => {
    if (performance.now() - since_ms < TURN_MS) return undefined;
    return new Promise((resolve) => {
      setTimeout(() => {
        since_ms = performance.now();
        resolve();
      });
    });
  };
}
