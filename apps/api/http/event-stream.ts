import type { After } from '#core/lib/timers.ts';
import { every } from '#core/lib/timers.ts';

const KEEP_ALIVE_MS = 5000; // what hears nothing for longer may take us for gone, and proxies do after a minute
const KEEP_ALIVE = ': keep-alive\n\n';

export interface ServerEvent {
  readonly name: string;
  readonly data: unknown;
}

/** What feeds an event stream: asked again whenever the client has taken what it was given. */
export interface EventSource {
  /** The next events; undefined at the end. May wait as long as there are none. */
  next(): Promise<readonly ServerEvent[] | undefined>;
  /** The client is gone, or the source has ended. */
  stop(): void;
}

export const EVENT_STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no', // nginx would keep them until it has a page full
};

/** Whether the client wants to be told how it goes. */
export function wantsEvents(accept: string | undefined): boolean {
  return accept?.toLowerCase().includes('text/event-stream') === true;
}

/** Server-sent events (WHATWG HTML §9.2) as bytes, pull-driven: a client that does not read is not written for. */
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

/** JSON holds no line break, so one `data` line is enough. */
function toText({ name, data }: ServerEvent): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
