import { toFault } from '#core/errors.ts';
import type { AppContext, Runtime } from './env.ts';

export interface StreamLog {
  warn(fields: object, message: string): void;
}

/**
 * A body that may fail half-way: its headers are gone by then, so all that is left is to break the connection, and the
 * client sees that the body is not whole.
 */
export function streamedBody(
  c: AppContext,
  source: ReadableStream<Uint8Array>,
  { runtime, log }: { runtime: Pick<Runtime, 'breakOff'>; log: StreamLog },
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          const { request_id } = c.var;
          log.warn({ request_id, code: toFault(error).code, err: error }, 'response broken off');
          runtime.breakOff(c);
          controller.close();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
