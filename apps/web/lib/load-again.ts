const PAUSES_MS = [300, 1500];

/** Loads a part of the page, and retries twice: a laptop that changes its network loses the requests in progress. */
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
 * Returns whether the gateway no longer has the part whose import failed. Where the browser's error does not name that part, it
 * checks its own file instead: that file contains the names of the others, so its own name changes when theirs do.
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
