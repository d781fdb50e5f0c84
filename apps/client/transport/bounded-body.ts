/** A body that is longer than anything the gateway sends. */
export class BodyTooLong extends Error {}

/** The chunks of a body. Throws BodyTooLong after `most_bytes`; leaving the loop cancels the rest. */
export async function* boundedChunks(
  { body }: Response,
  most_bytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = body?.getReader();
  let read_bytes = 0;
  try {
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      read_bytes += next.value.length;
      if (read_bytes > most_bytes) throw new BodyTooLong(`The body is longer than ${most_bytes} bytes`);
      yield next.value;
    }
  } finally {
    reader?.cancel().catch(() => undefined); // it may have failed already
  }
}

const MOST_SPACE_BYTES = 64 * 1024; // the gateway sends none at all

/** Refuses a text by its first characters after white space, before the rest is read. */
type Judge = (beginning: string) => void;

/** Decodes at the end, so that a body that is too long costs no decoding. */
export async function boundedText(response: Response, most_bytes: number, judge?: Judge): Promise<string> {
  const chunks: Uint8Array[] = [];
  let space_bytes = 0;
  let is_judged = judge === undefined;
  for await (const chunk of boundedChunks(response, most_bytes)) {
    chunks.push(chunk);
    if (is_judged) continue;
    const beginning = new TextDecoder().decode(chunk.subarray(0, MOST_SPACE_BYTES)).trimStart();
    if (beginning === '') space_bytes += chunk.length;
    if (beginning === '' && space_bytes < MOST_SPACE_BYTES) continue;
    judge?.(beginning);
    is_judged = true;
  }
  const decoder = new TextDecoder();
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode();
}
