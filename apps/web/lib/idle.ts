/** Runs once the page has nothing more urgent to do, and at the latest after `timeout_ms`. The result cancels. */
export function whenIdle(run: () => void, timeout_ms: number): () => void {
  if (!('requestIdleCallback' in globalThis)) {
    const timer = setTimeout(run, timeout_ms); // Safari
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(run, { timeout: timeout_ms });
  return () => cancelIdleCallback(handle);
}
