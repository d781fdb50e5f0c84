/** A body that fails with the reason of the signal, also where the fetch of the runtime no longer listens to the signal. */
export function abortable(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  if (!signal) return body;
  const reader = body.getReader();
  let leave: () => void = () => undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const abort = () => {
          controller.error(signal.reason);
          reader.cancel(signal.reason).catch(() => undefined); // it may have failed already
        };
        leave = () => signal.removeEventListener('abort', abort);
        signal.addEventListener('abort', abort, { once: true });
        if (signal.aborted) abort();
      },
      async pull(controller) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          leave();
          throw error;
        });
        if (signal.aborted) return;
        if (!done) return controller.enqueue(value);
        leave();
        controller.close();
      },
      cancel(reason) {
        leave();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
