import type { ConnectionTest, TestEvent } from '#core/model/connection-test.ts';
import type { EventSource, ServerEvent } from './event-stream.ts';

interface Watched {
  readonly signal: AbortSignal;
  readonly watch: (event: TestEvent) => void;
}

/** A connection test as events, begun at once; it is given up when nobody listens any more. */
export function testEvents(run: (watched: Watched) => Promise<ConnectionTest>): EventSource {
  const given_up = new AbortController();
  let told: ServerEvent[] = [];
  let wake = () => {};
  let is_over = false;
  let failure: unknown;

  function tell(data: TestEvent): void {
    told.push({ name: 'test', data });
    wake();
  }
  run({ signal: given_up.signal, watch: tell })
    .then((result) => tell({ type: 'result', result }))
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
