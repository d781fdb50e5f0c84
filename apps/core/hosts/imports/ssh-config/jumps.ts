import { readName } from './names.ts';
import { readPort } from './port.ts';

/** One bastion; `host` may be an alias of the same configuration. */
export interface Jump {
  readonly user?: string;
  readonly host: string;
  readonly port?: number;
}

const ADDRESS = /^(?:\[([^[\]\s]+)\]|([^[\]:/\s]+))(?::(\d*))?$/;
const URI = 'ssh://';
const MOST_JUMPS = 16; // above the allowed number; the rest is not read

/** Parses `ProxyJump`, first hop first; undefined when invalid. */
export function readJumps(text: string): readonly Jump[] | undefined {
  if (text.toLowerCase() === 'none') return [];
  if (text.includes('%')) return undefined; // tokens, which only `ssh` can expand
  const jumps = text
    .split(',', MOST_JUMPS)
    .map((jump) => (jump.startsWith(URI) ? readUri(jump) : readJump(jump)));
  return jumps.every((jump) => jump !== undefined) ? jumps : undefined;
}

function readUri(text: string): Jump | undefined {
  const rest = text.slice(URI.length).replace(/\/$/, '');
  const at = rest.indexOf('@');
  if (at < 0) return readAddress(rest);
  const [user = ''] = rest.slice(0, at).split(';', 1); // followed by connection parameters
  return user === '' ? undefined : readAddress(rest.slice(at + 1), user);
}

function readJump(text: string): Jump | undefined {
  const at = text.lastIndexOf('@');
  if (at < 0) return readAddress(text);
  return at === 0 ? undefined : readAddress(text.slice(at + 1), text.slice(0, at));
}

function readAddress(text: string, user?: string): Jump | undefined {
  const [, bracketed, plain, digits = ''] = ADDRESS.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = digits === '' ? undefined : readPort(digits);
  if (host === undefined || (digits !== '' && port === undefined)) return undefined;
  if (readName(host) === undefined || readName(user ?? '') === undefined) return undefined;
  return { host, ...(user === undefined ? {} : { user }), ...(port === undefined ? {} : { port }) };
}
