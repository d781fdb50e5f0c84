import { MASK } from './rules.ts';

const HEAD_CHARACTERS = 4096;
const LABEL = '[A-Z0-9 ]{0,40}(?:PRIVATE KEY|OpenVPN Static key|SECRET KEY)[A-Za-z0-9 ]{0,20}';
const PRIVATE_KEY = new RegExp(`----[- ]BEGIN ${LABEL}----|PuTTY-User-Key-File-\\d|AGE-SECRET-KEY-1`);
// To its end, or to the end of a text that was cut.
const BLOCKS = new RegExp(`(----[- ]BEGIN ${LABEL}-----?)[\\s\\S]*?(?=----[- ]END ${LABEL}-|$)`, 'g');
const END = new RegExp(`----[- ]END ${LABEL}-`, 'g');
// Lines of a key of which neither the beginning nor the end was read. A hash in hexadecimal digits has no capital letters.
const BASE64_LINES =
  /^(?=[^\n]*[a-z])(?=[^\n]*[A-Z])[ \t]{0,16}(?:[A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{70}|[A-Za-z0-9+/]{76})$/gm;
const KEY_LINE = /^[ \t]*[A-Za-z0-9+/=]{1,200}$|^[ \t]*(?:Proc-Type|DEK-Info|Comment|Version):.{0,200}$|^$/;

/** Whether a file is a private key: of such a file nothing is shown, whatever part was asked for. */
export function isPrivateKey(head: string): boolean {
  return PRIVATE_KEY.test(head.slice(0, HEAD_CHARACTERS));
}

export function maskKeys(text: string): string {
  return maskBeforeEnds(text.replace(BLOCKS, `$1\n${MASK}\n`)).replace(BASE64_LINES, MASK);
}

/** Masks what comes before the end of a key whose beginning was cut off. */
function maskBeforeEnds(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (const { index } of text.matchAll(END)) {
    kept.push(withoutKeyLines(text.slice(from, index)));
    from = index;
  }
  return kept.join('') + text.slice(from);
}

function withoutKeyLines(text: string): string {
  const lines = text.split('\n');
  const last = lines.pop() ?? ''; // indents the end
  let count = lines.length;
  while (count > 0 && KEY_LINE.test(lines[count - 1] ?? '')) count -= 1;
  if (count === lines.length) return text;
  return [...lines.slice(0, count), MASK, last].join('\n');
}
