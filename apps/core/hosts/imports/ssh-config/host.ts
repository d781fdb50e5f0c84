import { asciiHostName } from '../../../lib/network/host-name.ts';
import { ServerInput } from '../../../model/hosts/server.ts';
import type { NamedHost } from './blocks.ts';
import type { Jump } from './jumps.ts';
import { readName } from './names.ts';
import { readJumpCommand } from './proxy-command.ts';
import { expandHostName, type Setting, type Settings } from './settings.ts';

const DEFAULT_PORT = 22;

export interface SshConfigHost {
  readonly alias: string;
  readonly hostname: string;
  readonly port: number;
  readonly user: string | undefined;
  /** First hop first. */
  readonly jumps: readonly Jump[];
  /** The number of the line that names the jump hosts, or of the line of the host if it has none. */
  readonly jumps_line: number | undefined;
  readonly has_identity_file: boolean;
}

/** Why a host cannot become a server, and the line that says so. */
export interface Problem {
  readonly problem: string;
  /** Undefined for a jump host that has no section of its own. */
  readonly line: number | undefined;
}

export type Reading =
  | { readonly kind: 'host'; readonly host: SshConfigHost }
  /** It is reached by a command that is not run: only other hosts' lists of jump hosts can name it. */
  | ({ readonly kind: 'command'; readonly host: SshConfigHost } & Problem)
  | ({ readonly kind: 'problem' } & Problem);

/** What the settings say about one host. */
export function readHost({ alias, line }: NamedHost, settings: Settings): Reading {
  const { hostname, port, user, proxy, has_identity_file = false } = settings;
  const unusable = [hostname, port, user, proxy].find((setting) => setting?.kind === 'problem');
  if (unusable?.kind === 'problem') return unusable;
  const named = readName(alias) && expandHostName(valueIn(hostname) ?? '%h', alias);
  if (!named) return problem('its name is too long, or has characters that cannot be seen', line);
  const own = {
    alias,
    hostname: asciiHostName(named).toLowerCase(), // as ssh does once the sections are chosen
    port: valueIn(port) ?? DEFAULT_PORT,
    user: valueIn(user),
    has_identity_file,
  };
  const lines = { name: line, hostname: hostname?.line ?? line, username: user?.line ?? line };
  return problemIn(own, lines) ?? withWay(own, proxy, lines);
}

type Own = Omit<SshConfigHost, 'jumps' | 'jumps_line'>;

function withWay(own: Own, proxy: Settings['proxy'], lines: Lines): Reading {
  const way = valueIn(proxy);
  const jumps_line = proxy?.line;
  if (way?.kind !== 'command') return { kind: 'host', host: { ...own, jumps: way?.jumps ?? [], jumps_line } };
  const command = readJumpCommand(way.words, own);
  if (command) {
    const host = { ...own, ...command, jumps_line };
    return problemIn(host, { ...lines, hostname: jumps_line }) ?? { kind: 'host', host };
  }
  const host = { ...own, jumps: [], jumps_line };
  return { kind: 'command', host, problem: 'its ProxyCommand is not run', line: jumps_line };
}

const PROBLEMS = {
  name: 'a name has 1 to 150 characters that can be seen',
  hostname: 'HostName must be a host name or an IP address',
  username: 'User must have 1 to 150 characters that can be seen',
} as const;

type Field = keyof typeof PROBLEMS;
type Lines = Readonly<Record<Field, number | undefined>>;

/** What the server would be refused for. */
function problemIn({ alias, hostname, user }: Own, lines: Lines): Reading | undefined {
  const values = { name: alias, hostname, ...(user === undefined ? {} : { username: user }) };
  const fields = Object.keys(values) as Field[]; // the keys above
  const field = fields.find((name) => !ServerInput.shape[name].safeParse(values[name]).success);
  return field && problem(PROBLEMS[field], lines[field]);
}

function problem(text: string, line: number | undefined): Reading {
  return { kind: 'problem', problem: text, line };
}

function valueIn<T>(setting: Setting<T> | undefined): T | undefined {
  return setting?.kind === 'value' ? setting.value : undefined;
}
