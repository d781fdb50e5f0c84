/** Decodes a stream of bytes; a character that is split is held back. */
export interface Decoder {
  take(bytes: Uint8Array): string;
  /** What stands for a character that was never completed. */
  end(): string;
}
