import type { After } from './timers.ts';

interface Ends {
  /** Runs once, however it ends. */
  readonly onOver: () => void;
  /** Told of each piece that its reader gets. */
  readonly onBytes?: (bytes: number) => void;
  /** A reader that asks for nothing for so long is gone. */
  readonly unread: { readonly after: After; readonly ms: number; readonly error: () => Error };
}

/** The same stream, which somebody else may end with an error. */
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
    reader.cancel(error).catch(() => undefined); // its end is known already
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
