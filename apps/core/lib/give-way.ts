const TURN_MS = 10;

export type GiveWay = () => Promise<void> | undefined;

/** To await between the steps of long work: once these have kept everybody else waiting for 10 ms, all others come first. */
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
