import type { EventSource, ServerEvent } from './event-stream.ts';

/** Work as events, begun at once; it is given up when nobody listens any more. */
export function watchedRun(
  work: (signal: AbortSignal, tell: (event: ServerEvent) => void) => Promise<void>,
): EventSource {
  const given_up = new AbortController();
  let told: ServerEvent[] = [];
  let wake = () => {};
  let is_over = false;
  let failure: unknown;

  work(given_up.signal, (event) => {
    told.push(event);
    wake();
  })
    .catch((error: unknown) => {
      failure = error;
    })
    .finally(() => {
      is_over = true;
      wake();
    });

  return {
    async next() {
      if (told.length === 0 && !is_over) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const events = told;
      told = [];
      if (events.length > 0) return events;
      if (failure) throw failure;
      return undefined;
    },
    stop: () => given_up.abort(),
  };
}
