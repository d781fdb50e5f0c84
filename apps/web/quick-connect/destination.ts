// The options of ssh(1) that take a value; all but -l, -p, -J and some -o settings are ignored.
const WITH_VALUE: ReadonlySet<string> = new Set([...'BbcDEeFIiJLlmOoPpQRSWw']);

/** The destination parsed from one line; undefined where the line does not say. */
export interface Destination {
  readonly host: string;
  readonly port?: number | undefined;
  readonly username?: string | undefined;
  /** The line asks for a jump host, which quick connect does not support. */
  readonly jumps?: boolean | undefined;
}

/** Parses `user@host:port`, `ssh://user@host` or a pasted ssh command. */
export function readDestination(line: string): Destination | undefined {
  const words = line.trim().split(/\s+/);
  if (words[0] === 'ssh') return ofCommand(words.slice(1));
  return words.length === 1 && words[0] ? ofAddress(words[0]) : undefined;
}

/** Options may come before or after the address; a remote command after them is ignored. */
function ofCommand([word, ...rest]: readonly string[], found: Options = {}): Destination | undefined {
  const { host } = found;
  const is_option = word?.startsWith('-') === true;
  if (word === undefined || (!is_option && host !== undefined))
    return host === undefined ? undefined : { ...found, host };
  if (!is_option) {
    const place = ofAddress(word);
    return place && ofCommand(rest, { ...place, ...found });
  }
  const { name, glued } = optionOf(word);
  if (name === undefined) return ofCommand(rest, found);
  const value = glued || (rest[0] ?? '');
  return ofCommand(glued ? rest : rest.slice(1), { ...found, ...meaningOf(name, value) });
}

type Options = Partial<Destination>;

/** The option in a group of letters that takes a value, and the value attached to it, as in `-4p2222`. */
function optionOf(word: string): { readonly name?: string | undefined; readonly glued: string } {
  const at = [...word].findIndex((letter, index) => index > 0 && WITH_VALUE.has(letter));
  return at < 0 ? { glued: '' } : { name: word[at], glued: word.slice(at + 1) };
}

function meaningOf(name: string, value: string): Options {
  switch (name) {
    case 'p':
      return portOf(value);
    case 'l':
      return { username: value };
    case 'J':
      return { jumps: true };
    case 'o':
      return ofSetting(value);
    default:
      return {};
  }
}

function ofSetting(setting: string): Options {
  const [, key = '', value = ''] = /^(\w+)[=\s]+(.*)$/.exec(setting) ?? [];
  const letter = { port: 'p', user: 'l', proxyjump: 'J' }[key.toLowerCase()];
  return letter === undefined ? {} : meaningOf(letter, value);
}

function portOf(text: string): Options {
  const port = Number(text);
  return isPort(port) ? { port } : {};
}

function ofAddress(word: string): Destination | undefined {
  const is_url = /^ssh:\/\//i.test(word);
  const text = is_url ? word.slice('ssh://'.length).replace(/\/$/, '') : word;
  const at = text.lastIndexOf('@');
  const place = placeOf(text.slice(at + 1));
  const login = text.slice(0, Math.max(0, at));
  const username = is_url ? login.split(':')[0] : login; // drop a password in the URL
  return place && { ...place, username: username || undefined };
}

function placeOf(text: string): Destination | undefined {
  if (BARE_IPV6.test(text)) return { host: text };
  const [, bracketed, name, digits] = HOST_AND_PORT.exec(text) ?? [];
  const host = bracketed ?? name;
  if (host === undefined) return undefined;
  if (digits === undefined) return { host };
  return isPort(Number(digits)) ? { host, port: Number(digits) } : undefined;
}

const HOST_AND_PORT = /^(?:\[([\da-f:.]+(?:%\w+)?)\]|([^-:@/[\]][^:@/[\]]*))(?::(\d{1,5}))?$/i;
const BARE_IPV6 = /^[\da-f]*:[\da-f.]*:[\da-f:.]*(?:%\w+)?$/i; // without brackets the last group is not a port

export function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}
