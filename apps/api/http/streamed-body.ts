import { toFault } from '#core/errors.ts';
import type { AppContext, Runtime } from './env.ts';

export interface StreamLog {
  warn(fields: object, message: string): void;
}

/** Aborts the connection when a body fails half-way: the headers have been sent, so there is no other way to tell the client. */
export function streamedBody(
  c: AppContext,
  source: ReadableStream<Uint8Array>,
  { runtime, log }: { runtime: Pick<Runtime, 'breakOff' | 'onGone'>; log: StreamLog },
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const { request_id } = c.var;
  const warn = (err: unknown) =>
    log.warn({ request_id, code: toFault(err).code, err }, 'A response was aborted');
  let over = false;
  // A pipelined request may never get its turn: then nobody reads or cancels its body.
  const forget = runtime.onGone(c, () => {
    cancel().catch(warn);
  });
  function end(): void {
    over = true;
    forget();
  }
  function cancel(reason?: unknown): Promise<void> {
    end();
    return reader.cancel(reason);
  }
  function fail(error: unknown): void {
    if (over) return;
    end();
    warn(error);
    runtime.breakOff(c);
  }
  reader.closed.catch(fail); // a client that does not read would never pull, and never see the failure
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (over) return;
          if (!done) return controller.enqueue(value);
          end();
        } catch (error) {
          fail(error);
        }
        controller.close();
      },
      cancel,
    },
    { highWaterMark: 0 },
  );
}
