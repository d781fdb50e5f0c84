import type { After } from '#core/lib/time/timers.ts';
import { every } from '#core/lib/time/timers.ts';

const KEEP_ALIVE_MS = 5000; // the page reports a lost gateway when nothing arrives for longer; proxies close after a minute
const KEEP_ALIVE = ': keep-alive\n\n';

export interface ServerEvent {
  readonly name: string;
  readonly data: unknown;
}

/** Source of an event stream, pulled as fast as the client reads. */
export interface EventSource {
  /** Waits for the next events; undefined at the end. */
  next(): Promise<readonly ServerEvent[] | undefined>;
  /** Called when the client disconnects or the source ends. */
  stop(): void;
}

export const EVENT_STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no', // nginx would hold events back until a buffer is full
};

/** Whether the client asks for progress events. */
export function wantsEvents(accept: string | undefined): boolean {
  return accept?.toLowerCase().includes('text/event-stream') === true;
}

/** Server-sent events (WHATWG HTML §9.2) as bytes. Pull-driven: nothing is produced for a client that does not read. */
export function eventStream(source: EventSource, after: After): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stopKeepAlive = () => {};
  const stop = () => {
    stopKeepAlive();
    source.stop();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode('retry: 3000\n\n'));
        stopKeepAlive = every(after, KEEP_ALIVE_MS, () => {
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(KEEP_ALIVE));
        });
      },
      async pull(controller) {
        try {
          const events = await source.next();
          if (events) return controller.enqueue(encoder.encode(events.map(toText).join('')));
          stop();
          controller.close();
        } catch (error) {
          stop();
          controller.error(error);
        }
      },
      cancel: stop,
    },
    { highWaterMark: 1 },
  );
}

/** JSON contains no line break, so one `data` line is enough. */
function toText({ name, data }: ServerEvent): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Runs `work` at once and streams the events it emits; a disconnect aborts it. */
export function eventsOfWork(
  work: (signal: AbortSignal, emit: (event: ServerEvent) => void) => Promise<void>,
): EventSource {
  const stopped = new AbortController();
  let pending: ServerEvent[] = [];
  let wake = () => {};
  let is_over = false;
  let failure: unknown;

  work(stopped.signal, (event) => {
    pending.push(event);
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
      if (pending.length === 0 && !is_over) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const events = pending;
      pending = [];
      if (events.length > 0) return events;
      if (failure) throw failure;
      return undefined;
    },
    stop: () => stopped.abort(),
  };
}
