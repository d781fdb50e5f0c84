import type { ConnectionTest, TestEvent } from '#core/model/connection-test.ts';
import type { EventSource } from '../../http/event-stream.ts';
import { watchedRun } from '../../http/watched-run.ts';

interface Watched {
  readonly signal: AbortSignal;
  readonly watch: (event: TestEvent) => void;
}

/** A connection test as events. */
export function testEvents(run: (watched: Watched) => Promise<ConnectionTest>): EventSource {
  return watchedRun(async (signal, tell) => {
    const watch = (data: TestEvent) => tell({ name: 'test', data });
    watch({ type: 'result', result: await run({ signal, watch }) });
  });
}
