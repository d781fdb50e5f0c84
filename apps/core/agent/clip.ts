// ECMA-48: CSI, OSC, the other strings (bounded, or one that never ends would hide the rest), and two-character escapes.
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are controlled by them
  /\x1b\[[0-?]*[ -/]*[@-~]?|\x1b\][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)?|\x1b[PX^_k][^\x1b\n]{0,4096}(?:\x1b\\)?|\x1b[ -/]*[0-~]?/g;
/** Controls and characters without a glyph, but not tabs and line breaks. They could hide instructions, or split a secret. */
const INVISIBLE = /[^\P{C}\t\n]/gu;

/** Text of a host without terminal escapes and without characters that nobody sees. */
export function cleaned(text: string): string {
  return text
    .toWellFormed()
    .replace(ESCAPES, '')
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(INVISIBLE, '');
}

const HEAD_SHARE = 0.6;
const NEAR_CHARACTERS = 200; // a cut moves this far to the end of a line

/** Keeps the head and the tail, and says how much was cut. */
export function clipped(text: string, most_characters: number): string {
  if (text.length <= most_characters) return text;
  const head = cutAfterLine(text, Math.floor(most_characters * HEAD_SHARE));
  const tail = cutBeforeLine(text, text.length - (most_characters - head));
  const cut = text.length - head - (text.length - tail);
  return `${text.slice(0, head)}\n[… ${cut} characters cut …]\n${text.slice(tail)}`.toWellFormed();
}

function cutAfterLine(text: string, at: number): number {
  const line = text.lastIndexOf('\n', at);
  return at - line <= NEAR_CHARACTERS && line > 0 ? line : at;
}

function cutBeforeLine(text: string, at: number): number {
  const line = text.indexOf('\n', at);
  return line >= 0 && line - at <= NEAR_CHARACTERS ? line + 1 : at;
}

/** One short line. */
export function oneLine(text: string, most_characters: number): string {
  const line = cleaned(text).replaceAll(/\s+/g, ' ').trim();
  return line.length <= most_characters ? line : `${line.slice(0, most_characters - 1)}…`.toWellFormed();
}
