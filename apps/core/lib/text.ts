// They turn what follows around (UAX #9): a name could show as another one.
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text without characters that cannot be seen but change how it is read, cut to `max` code units. */
export function printable(text: string, max: number): string {
  return text
    .replace(/\p{Cc}/gu, '')
    .replace(BIDI_CONTROLS, '')
    .slice(0, max);
}

/** Without anything that has no picture of its own, cut to `max` code units. */
export function visible(text: string, max: number): string {
  const shown = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '').slice(0, max);
  return shown.replaceAll(/\p{Surrogate}/gu, ''); // half a pair that was cut
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
