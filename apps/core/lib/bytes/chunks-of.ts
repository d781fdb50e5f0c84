/** A web stream as an async iterable; leaving the loop early cancels it. */
export async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  let is_over = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield value;
    }
    is_over = true;
  } finally {
    if (!is_over) await reader.cancel().catch(() => undefined); // it failed, or the loop ended early
  }
}
