import { type Jump, readJumps } from './jumps.ts';
import type { ConfigLine } from './lines.ts';
import { readName } from './names.ts';
import { readPort } from './port.ts';

const UNSEEN = 'characters that cannot be seen';
const LONGEST_COMMAND = 1000; // characters; a command for all hosts is read again for each of them

/** An unusable value still counts, because the first value wins. */
export type Setting<T> =
  | { readonly kind: 'value'; readonly line: number; readonly value: T }
  | { readonly kind: 'problem'; readonly line: number; readonly problem: string };

/** Jump hosts, or the words of a command, which is not run here; no words if it is too long to be read. */
export type Proxy =
  | { readonly kind: 'jumps'; readonly jumps: readonly Jump[] }
  | { readonly kind: 'command'; readonly words: readonly string[] };

export interface Settings {
  /** May contain tokens. */
  readonly hostname?: Setting<string>;
  readonly port?: Setting<number>;
  readonly user?: Setting<string>;
  readonly proxy?: Setting<Proxy>;
  readonly has_identity_file?: true;
}

/** What one line sets; nothing for keywords that a gateway does not use. */
export function readSetting(line: ConfigLine): Settings {
  switch (line.keyword) {
    case 'hostname':
      return {
        hostname: toSetting(
          line,
          readTemplate,
          `HostName must be one name, with no tokens but %h and %%, without ${UNSEEN}`,
        ),
      };
    case 'port':
      return { port: toSetting(line, readPort, 'Port must be a number from 1 to 65535') };
    case 'user':
      return { user: toSetting(line, readName, `User must be one name, without ${UNSEEN}`) };
    // The first one of ProxyJump and ProxyCommand wins (ssh_config(5)).
    case 'proxyjump':
      return {
        proxy: toSetting(
          line,
          readProxyJump,
          `ProxyJump must be [user@]host[:port] or a list, without tokens or ${UNSEEN}`,
        ),
      };
    case 'proxycommand':
      return { proxy: { kind: 'value', line: line.line, value: readProxyCommand(line) } };
    case 'identityfile':
      return line.args?.[0]?.toLowerCase() === 'none' ? {} : { has_identity_file: true };
    default:
      return {};
  }
}

/** Values of the first list win. */
export function firstObtained(first: Settings, second: Settings): Settings {
  return { ...second, ...first };
}

/** Expands `HostName` for an alias; undefined when the result is invalid. */
export function expandHostName(template: string, alias: string): string | undefined {
  return readName(template.replace(/%[h%]/g, (token) => (token === '%h' ? alias : '%')));
}

function toSetting<T>(
  { line, args = [] }: ConfigLine,
  read: (text: string) => T | undefined,
  problem: string,
): Setting<T> {
  const [text = '', ...others] = args;
  const value = text === '' || others.length > 0 ? undefined : read(text);
  return value === undefined ? { kind: 'problem', line, problem } : { kind: 'value', line, value };
}

function readTemplate(text: string): string | undefined {
  return text.replace(/%[h%]/g, '').includes('%') ? undefined : readName(text);
}

function readProxyJump(text: string): Proxy | undefined {
  const jumps = readJumps(text);
  return jumps && { kind: 'jumps', jumps };
}

function readProxyCommand({ args = [] }: ConfigLine): Proxy {
  const none = args.length === 1 && args[0]?.toLowerCase() === 'none';
  if (none) return { kind: 'jumps', jumps: [] };
  return { kind: 'command', words: args.join(' ').length > LONGEST_COMMAND ? [] : args };
}
