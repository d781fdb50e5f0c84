import { MASK } from './rules.ts';

/** Words in the name of a secret. */
export const KEYWORDS = [
  '(?<![a-z])pass(?![a-z])',
  'password|passphrase|passwort|passcode|(?<!/etc/)passwd|pwd',
  'secret|token|credentials?',
  '(?:api|access|account|private|encryption|signing|master|auth|license|pre[_-]?shared)[_-]?key',
  'key[_-]data|preshared|psk|(?<![a-z])pw(?![a-z])|(?:bind|root)pw|contrase\u00f1a',
].join('|');

/** The name of a secret and what separates it from its value, as in ini, YAML, JSON, XML, PHP, environment and shell. */
const NAMES = new RegExp(
  `(?:${KEYWORDS})[\\w.-]{0,40}(?:\\[[^\\]\\n]{0,40}\\])?\\\\?["'\`]?[\\])]?[ \\t]{0,40}(?::=|=>|[:=]|,(?=[ \\t]{0,40}["'])|>)[ \\t]{0,40}(?:\\r?\\n[ \\t]{0,40}(?=["']))?`,
  'gi',
);
/** What says nothing worth hiding: switches, small numbers, the sources of nsswitch.conf. */
const NO_SECRET =
  /^["']?(?:yes|no|true|false|on|off|none|null|nil|undefined|required|optional|\d{1,3})?["']?[,;]?$|^(?:files|compat|systemd|sss|ldap|nis|winbind)(?:[ \t]+[\w[\]=!]{1,20})*$/i;

const BLOCK = /[|>][-+0-9]{0,3}[ \t]{0,20}(?:\n[ \t]+[^\n]*)+/y; // of YAML
const QUOTED = /"(?:[^"\\\n]|\\[^\n])*|'(?:[^'\\\n]|\\[^\n])*/y;
const ESCAPED = /\\"(?:[^"\\\n]|\\(?!")[^\n])*/y; // JSON in JSON
const WORD = /[^\s,;&"'`)}\]]*/y;
const LINE = /[^\n]*/y;
const ELEMENT = /[^<\n]*/y;

/** Masks the values of names that sound like secrets; each character is looked at a bounded number of times. */
export function maskValues(text: string): string {
  const names = new RegExp(NAMES);
  const kept: string[] = [];
  let from = 0;
  for (let name = names.exec(text); name; name = names.exec(text)) {
    const value = valueAfter(text, name.index, name[0]);
    names.lastIndex = Math.max(value.end, names.lastIndex);
    if (NO_SECRET.test(text.slice(value.start, value.end).trim())) continue;
    kept.push(text.slice(from, value.start), MASK);
    from = value.end;
  }
  return kept.join('') + text.slice(from);
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function valueAfter(text: string, at: number, name: string): Span {
  const start = at + name.length;
  for (const [pattern, opening] of [
    [BLOCK, 0],
    [ESCAPED, 2],
    [QUOTED, 1],
  ] as const) {
    const end = endOf(pattern, text, start);
    if (end > start) return { start: start + opening, end };
  }
  const is_element = /[^=]>\s*$/.test(name.slice(-45));
  if (is_element) return { start, end: endOf(ELEMENT, text, start) };
  return { start, end: endOf(isAlone(text, at) ? LINE : WORD, text, start) };
}

function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}

const PREFIX_CHARACTERS = 80;

/** A line that begins with the name holds nothing but the value. */
function isAlone(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - PREFIX_CHARACTERS), at);
  const line = before.lastIndexOf('\n');
  if (line < 0 && at > PREFIX_CHARACTERS) return false;
  return /^[\s"'$-]*(?:(?:export|set|env)\s+)?[\w.-]*$/.test(before.slice(line + 1));
}
