import { type Jump, readJumps } from './jumps.ts';
import { readPort } from './port.ts';

const SSH = new Set(['ssh', '/usr/bin/ssh', '/bin/ssh', '/usr/local/bin/ssh', 'ssh.exe']);
const NETCAT = /^(?:\/(?:usr\/)?(?:local\/)?bin\/)?(?:nc|ncat|netcat)$/;
const REDIRECTION = /^2>(?:&1|\/dev\/null)?$/;
const SHELL_CHARACTERS = /[;&|<>$`()\\!{}\n]/;
// Options of ssh that leave the way as it is; those of the second kind take a value.
const HARMLESS_FLAGS = new Set('1246aACknNqtTvxXYy');
const HARMLESS_VALUES = new Set('bceEimS');
const REFUSED_KEYWORDS = new Set(['hostname', 'proxycommand', 'include', 'remotecommand', 'match', 'host']);

/** A command that reaches a host as ProxyJump would. */
export interface JumpCommand {
  /** First hop first. */
  readonly jumps: readonly Jump[];
  /** What the last jump host connects to. */
  readonly hostname: string;
  readonly port: number;
}

/** What the tokens of a command stand for (ssh_config(5), TOKENS). */
export interface Tokens {
  readonly alias: string;
  readonly hostname: string;
  readonly port: number;
  readonly user: string | undefined;
}

/** Reads `ssh -W %h:%p bastion` and `ssh bastion nc %h %p`; undefined for any other command. */
export function readJumpCommand(args: readonly string[], tokens: Tokens): JumpCommand | undefined {
  const words = expanded(withoutExec(withoutRedirection(wordsOf(args))), tokens);
  const [program = '', ...rest] = words ?? [];
  if (!SSH.has(program) || rest.some((word) => SHELL_CHARACTERS.test(word))) return undefined;
  const call = readCall(rest);
  const target = call && targetOf(call);
  const jumps = call && jumpsOf(call);
  return target && jumps && { jumps, ...target };
}

/** Some write the whole command in quotes. */
function wordsOf(args: readonly string[]): readonly string[] {
  const [only = ''] = args;
  return args.length === 1 ? splitAtBlanks(only) : args;
}

function splitAtBlanks(text: string): string[] {
  return text.trim().split(/[ \t]+/);
}

function withoutExec(words: readonly string[]): readonly string[] {
  return words[0] === 'exec' ? words.slice(1) : words;
}

/** The errors of ssh do not matter here. */
function withoutRedirection(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => REDIRECTION.test(word));
  if (at < 0) return words;
  const is_last = at === words.length - 1 && words[at] !== '2>';
  const is_split = at === words.length - 2 && words[at] === '2>' && words.at(-1) === '/dev/null';
  return is_last || is_split ? words.slice(0, at) : words;
}

function expanded(words: readonly string[], tokens: Tokens): string[] | undefined {
  const { alias, hostname, port, user } = tokens;
  const values = new Map([
    ['%h', hostname],
    ['%n', alias],
    ['%p', String(port)],
    ['%r', user],
  ]);
  const are_known = words.every((word) =>
    (word.match(/%.?/g) ?? []).every((token) => values.get(token) !== undefined),
  );
  return are_known
    ? words.map((word) => word.replaceAll(/%./g, (token) => values.get(token) ?? token))
    : undefined;
}

/** A call of ssh. */
interface Call {
  readonly settings: Map<'user' | 'port' | 'before' | 'forward', string>;
  readonly destination: string;
  readonly command: readonly string[];
}

/** Options may stand before and after the destination, and share a word: `-qW%h:%p`. */
function readCall(words: readonly string[]): Call | undefined {
  const settings: Call['settings'] = new Map();
  let destination: string | undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const is_option = word.startsWith('-') && word !== '--';
    if (is_option) {
      const taken = readOptions(word.slice(1), words[at + 1], settings);
      if (taken === undefined) return undefined;
      at += taken;
    } else if (destination !== undefined) {
      return { settings, destination, command: words.slice(word === '--' ? at + 1 : at) };
    } else if (word !== '--') destination = word;
  }
  return destination === undefined ? undefined : { settings, destination, command: [] };
}

/** How many further words the options take; undefined if one may change the way. */
function readOptions(
  letters: string,
  next: string | undefined,
  settings: Call['settings'],
): number | undefined {
  for (let at = 0; at < letters.length; at += 1) {
    const letter = letters.charAt(at);
    if (HARMLESS_FLAGS.has(letter)) continue;
    const rest = letters.slice(at + 1);
    const value = rest === '' ? next : rest;
    if (value === undefined || !readOption(letter, value, settings)) return undefined;
    return rest === '' ? 1 : 0;
  }
  return letters === '' ? undefined : 0;
}

const SETTINGS_OF_LETTERS = new Map([
  ['l', 'user'],
  ['p', 'port'],
  ['J', 'before'],
  ['W', 'forward'],
] as const);

const LETTERS_OF_KEYWORDS = new Map([
  ['user', 'l'],
  ['port', 'p'],
  ['proxyjump', 'J'],
]);

function readOption(letter: string, value: string, settings: Call['settings']): boolean {
  if (HARMLESS_VALUES.has(letter)) return true;
  if (letter === 'o') return readLongOption(value, settings);
  const name = SETTINGS_OF_LETTERS.get(letter as 'l');
  if (!name || (settings.has(name) && settings.get(name) !== value)) return false; // which one counts is not worth a guess
  settings.set(name, value);
  return true;
}

/** `Key=value` or `Key value`. */
function readLongOption(text: string, settings: Call['settings']): boolean {
  const [, key = '', value = ''] = /^\s*([a-z0-9]+)(?:\s*=\s*|\s+)(\S.*)$/is.exec(text) ?? [];
  const keyword = key.toLowerCase();
  const letter = LETTERS_OF_KEYWORDS.get(keyword);
  if (letter) return readOption(letter, value.trim(), settings);
  return keyword !== '' && !REFUSED_KEYWORDS.has(keyword);
}

type Target = Pick<JumpCommand, 'hostname' | 'port'>;

/** The address that `-W host:port`, or netcat on the jump host, connects to. */
function targetOf({ settings, command }: Call): Target | undefined {
  const forward = settings.get('forward');
  if (forward === undefined) return netcatTarget(command.flatMap(splitAtBlanks));
  const [, bracketed, plain, port = ''] = /^(?:\[([^[\]]+)\]|([^[\]:]+)):(\d+)$/.exec(forward) ?? [];
  return command.length > 0 ? undefined : toTarget(bracketed ?? plain, port);
}

/** `nc -q0 -w 30 %h %p`: other options change what netcat does. */
function netcatTarget(words: readonly string[]): Target | undefined {
  const [program = '', ...rest] = withoutExec(words);
  if (!NETCAT.test(program)) return undefined;
  const plain = ` ${rest.join(' ')}`.replaceAll(/ -(?:[qwi] ?\d+|[46nv])(?= |$)/g, '');
  const [host, port = '', ...others] = splitAtBlanks(plain);
  return others.length > 0 || host?.startsWith('-') ? undefined : toTarget(host, port);
}

function toTarget(hostname: string | undefined, digits: string): Target | undefined {
  const port = readPort(digits);
  return hostname === undefined || hostname === '' || port === undefined ? undefined : { hostname, port };
}

function jumpsOf({ settings, destination }: Call): readonly Jump[] | undefined {
  const before = settings.get('before');
  const earlier = before === undefined ? [] : readJumps(before);
  const [jump, ...others] = readJumps(destination) ?? [];
  if (!earlier || !jump || others.length > 0) return undefined;
  const digits = settings.get('port');
  const port = digits === undefined ? undefined : readPort(digits);
  if (digits !== undefined && port === undefined) return undefined;
  const last = merged(jump, { user: settings.get('user'), port });
  return last && [...earlier, last];
}

/** Undefined if an option contradicts the destination. */
function merged({ host, ...own }: Jump, options: { user: string | undefined; port: number | undefined }) {
  const user = own.user ?? options.user;
  const port = own.port ?? options.port;
  if (options.user !== undefined && options.user !== user) return undefined;
  if (options.port !== undefined && options.port !== port) return undefined;
  return { host, ...(user === undefined ? {} : { user }), ...(port === undefined ? {} : { port }) };
}
