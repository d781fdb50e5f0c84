/** The same stream, which somebody else may end with an error; `onOver` runs once, however it ends. */
export function endable(source: ReadableStream<Uint8Array>, onOver: () => void) {
  const reader = source.getReader();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let over = false;

  function finish(): boolean {
    if (over) return false;
    over = true;
    onOver();
    return true;
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      start(own) {
        controller = own;
      },
      async pull(own) {
        try {
          const { done, value } = await reader.read();
          if (over) return;
          if (!done) return own.enqueue(value);
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

  function end(error: Error): void {
    if (!finish()) return;
    controller?.error(error);
    reader.cancel(error).catch(() => undefined); // its end is known already
  }

  return { stream, end };
}
