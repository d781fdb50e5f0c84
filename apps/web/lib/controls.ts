/** C0 and C1 controls and DEL, except tab and line breaks. `ESC[201~` within a paste would end it and run what follows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds control characters
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
const C0 =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US';
const NAMES = C0.split(' ');
const DEL = 0x7f;

export interface CleanText {
  readonly text: string;
  /** The removed characters with their counts, such as `ESC` or `U+009B`. */
  readonly removed: readonly string[];
}

export function withoutControls(text: string): CleanText {
  const counts = new Map<string, number>();
  const clean = text.replace(CONTROLS, (character) => {
    const name = nameOf(character.charCodeAt(0));
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return '';
  });
  const removed = [...counts].map(([name, count]) => (count > 1 ? `${name} (${count})` : name));
  return { text: clean, removed };
}

function nameOf(code: number): string {
  if (code === DEL) return 'DEL';
  return NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
