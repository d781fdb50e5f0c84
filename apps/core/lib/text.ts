/** The text without control characters, cut to `max` code units. */
export function printable(text: string, max: number): string {
  return text.replace(/\p{Cc}/gu, '').slice(0, max);
}

/** Cut to `max` bytes of UTF-8 without splitting a character. */
export function truncateUtf8(text: string, max: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= max) return text;
  return new TextDecoder().decode(bytes.subarray(0, max), { stream: true });
}

/** Printable, and the same after any database has kept it: half a surrogate pair becomes U+FFFD. */
export function wellFormed(text: string, max: number): string {
  return printable(text, max).replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}
