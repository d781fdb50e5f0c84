/** Everything that a stream still brings. */
export async function readAll(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export const readText = async (stream: ReadableStream<Uint8Array>): Promise<string> =>
  (await readAll(stream)).toString();

export async function writeAll(stream: WritableStream<Uint8Array>, bytes: Uint8Array): Promise<void> {
  const writer = stream.getWriter();
  await writer.write(bytes);
  await writer.close();
}

/** Writes these bytes a number of times; `written` says how many writes are done. */
export function writeRepeatedly(stream: WritableStream<Uint8Array>, bytes: Uint8Array, times: number) {
  const writer = stream.getWriter();
  let written = 0;
  async function write(): Promise<void> {
    for (; written < times; written += 1) await writer.write(bytes);
    await writer.close();
  }
  return { written: () => written, done: write() };
}
