const PAUSES_MS = [300, 1500];

/**
 * Loads a part of the page. A network that changes under a request, as when a laptop changes its Wi-Fi, is no reason to leave
 * the page without that part: it is asked for again, twice.
 */
export async function loadAgain<T>(
  load: () => Promise<T>,
  pauses_ms: readonly number[] = PAUSES_MS,
): Promise<T> {
  for (const pause_ms of pauses_ms) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause_ms));
    }
  }
  return load();
}
