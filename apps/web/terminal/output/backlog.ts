/** A queue of bytes. */
export class Backlog {
  #chunks: Uint8Array[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
    this.#size += bytes.length;
  }

  /** Takes at most this many bytes; undefined if empty. */
  take(most: number): Uint8Array | undefined {
    const [first] = this.#chunks;
    if (!first) return undefined;
    const slice = first.subarray(0, most);
    if (slice.length === first.length) this.#chunks.shift();
    else this.#chunks[0] = first.subarray(most);
    this.#size -= slice.length;
    return slice;
  }

  all(): Uint8Array {
    const all = new Uint8Array(this.#size);
    let at = 0;
    for (const chunk of this.#chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all;
  }

  /** Replaces the content and returns how many bytes were dropped. */
  keep(rest: Uint8Array): number {
    const left_out = this.#size - rest.length;
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
    return left_out;
  }
}
