/** Characters that hide text or change its visual order: a command must read as it will run. */
const INVISIBLE =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
/** C0 and C1 controls and DEL, except tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds control characters
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Text of a model or a host without what a reader cannot see. */
export function visibleText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(CONTROLS, '').replace(INVISIBLE, '');
}

/** A code block as it may be put at a prompt: without a line end before or after, so that nothing runs by itself. */
export function promptText(code: string): string {
  return visibleText(code)
    .replace(/[\u2028\u2029]/g, '\n')
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd();
}
