import type { After } from '../time/timers.ts';

interface Ends {
  /** Called once, however the stream ends. */
  readonly onOver: () => void;
  /** Called for each chunk that the reader takes. */
  readonly onBytes?: (bytes: number) => void;
  /** Ends the stream with an error when the reader takes nothing for this long. */
  readonly unread: { readonly after: After; readonly ms: number; readonly error: () => Error };
}

/** Wraps a stream so that it can be ended with an error from outside. */
export function endable(source: ReadableStream<Uint8Array>, { onOver, onBytes, unread }: Ends) {
  const reader = source.getReader();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let over = false;
  let stopWaiting: () => void = () => undefined;

  function finish(): boolean {
    if (over) return false;
    over = true;
    stopWaiting();
    onOver();
    return true;
  }

  function end(error: Error): void {
    if (!finish()) return;
    controller?.error(error);
    reader.cancel(error).catch(() => undefined); // the stream has already failed
  }

  function awaitReader(): void {
    stopWaiting = unread.after(unread.ms, () => end(unread.error()));
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      start(own) {
        controller = own;
        awaitReader();
      },
      async pull(own) {
        stopWaiting();
        try {
          const { done, value } = await reader.read();
          if (over) return;
          if (!done) {
            own.enqueue(value);
            onBytes?.(value.length);
            return awaitReader();
          }
          finish();
          own.close();
        } catch (error) {
          if (finish()) own.error(error);
        }
      },
      async cancel(reason) {
        finish();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );

  return { stream, end };
}
