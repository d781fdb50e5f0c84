// They reorder the text that follows (UAX #9), so one name could look like another.
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Removes control characters and invisible ones that change how text is read, and cuts to `max` code units. */
export function printable(text: string, max: number): string {
  return text
    .replace(/\p{Cc}/gu, '')
    .replace(BIDI_CONTROLS, '')
    .slice(0, max);
}

/** Like `printable`, with line breaks and tabs kept, without blank lines around it; cut to `max` bytes of UTF-8. */
export function printableLines(text: string, max: number): string {
  const lines = text.replaceAll(/\r\n?/g, '\n').replaceAll('\t', '    ').split('\n');
  const kept = lines.map((line) => printable(line, max).trimEnd());
  return truncateUtf8(kept.join('\n').replace(/^\n+/, ''), max).trimEnd();
}

/** Removes every character without a glyph and cuts to `max` code units. */
export function visible(text: string, max: number): string {
  const shown = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '').slice(0, max);
  return shown.replaceAll(/\p{Surrogate}/gu, ''); // half of a surrogate pair
}

/** Cut to `max` bytes of UTF-8 without splitting a character. */
export function truncateUtf8(text: string, max: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= max) return text;
  return new TextDecoder().decode(bytes.subarray(0, max), { stream: true });
}

/** Whether databases keep this text as it is. */
export function isStorable(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text); // with `u`, only lone surrogates match
}

/** Like `printable`, with unpaired surrogates replaced by U+FFFD, which databases would otherwise change. */
export function wellFormed(text: string, max: number): string {
  return printable(text, max).replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}
