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

/**
 * Whether the gateway no longer has the part that an import failed for. Browsers that do not name the part are asked about
 * this one: a new version has new names for what names the parts that have changed.
 */
export async function isPartGone({ message }: Error): Promise<boolean> {
  const named = /https?:\/\/\S+/.exec(message)?.[0];
  try {
    // biome-ignore lint/style/noRestrictedGlobals: a file, not an operation of the gateway
    const { status } = await fetch(named ?? import.meta.url, { method: 'HEAD', cache: 'no-store' });
    return status === 404;
  } catch {
    return false; // nothing can be reached
  }
}
