import type { Effort } from './glob.ts';
import { aliasesOf, createLookup, readBlocks } from './ssh-config-blocks.ts';
import { expandHostName, readName, type Setting, type Settings } from './ssh-config-settings.ts';
import type { Jump } from './ssh-jumps.ts';
import { createWarnings, quoted, type Warnings } from './warnings.ts';

const LONGEST_TEXT = 1024 * 1024;
const MOST_HOSTS = 5000;
const MOST_STEPS = 20_000_000; // about a second; 5,000 hosts and 500 wildcards take half of it

export interface SshConfigHost {
  readonly alias: string;
  readonly hostname: string;
  readonly port: number;
  readonly user: string | undefined;
  /** First hop first. */
  readonly jumps: readonly Jump[];
  readonly has_identity_file: boolean;
}

export type SshConfigJump = SshConfigHost['jumps'][number];

export interface SshConfig {
  readonly hosts: SshConfigHost[];
  readonly warnings: string[];
}

/** What `ssh` would do for each alias of an OpenSSH client configuration, without ever running anything. */
export function readSshConfig(text: string): SshConfig {
  const warnings = createWarnings();
  const hosts = text.length > LONGEST_TEXT ? undefined : readHosts(text, warnings);
  if (!hosts) warnings.add('The configuration is too large, nothing of it was read.');
  return { hosts: hosts ?? [], warnings: warnings.list() };
}

function readHosts(text: string, warnings: Warnings): SshConfigHost[] | undefined {
  const blocks = readBlocks(text, warnings);
  const aliases = aliasesOf(blocks);
  if (aliases.length > MOST_HOSTS) {
    warnings.add(
      `Only the first ${MOST_HOSTS} hosts were read, ${aliases.length - MOST_HOSTS} are left out.`,
    );
  }
  const lookup = createLookup(blocks);
  const effort: Effort = { steps: 0 };
  const hosts: SshConfigHost[] = [];
  for (const alias of aliases.slice(0, MOST_HOSTS)) {
    const host = toHost(alias, lookup(alias, effort), warnings);
    if (effort.steps > MOST_STEPS) return undefined;
    if (host) hosts.push(host);
  }
  return hosts;
}

function toHost(alias: string, settings: Settings, warnings: Warnings): SshConfigHost | undefined {
  const { hostname, port, user, proxy, has_identity_file = false } = settings;
  const problem = problemIn([hostname, port, user, proxy]);
  const name = problem ? undefined : nameOf(alias, hostname);
  if (name === undefined) {
    warnings.add(`Host ${quoted(alias)} is left out: ${problem ?? 'its name is too long'}.`);
    return undefined;
  }
  const way = valueIn(proxy);
  if (way?.kind === 'command') {
    warnings.add(
      `Host ${quoted(alias)}: ProxyCommand (line ${proxy?.line}) is not run, it is reached directly.`,
    );
  }
  return {
    alias,
    hostname: name.toLowerCase(), // as ssh does once the sections are chosen
    port: valueIn(port) ?? 22,
    user: valueIn(user),
    jumps: way?.kind === 'jumps' ? way.jumps : [],
    has_identity_file,
  };
}

function nameOf(alias: string, hostname: Setting<string> | undefined): string | undefined {
  if (readName(alias) === undefined) return undefined;
  return expandHostName(valueIn(hostname) ?? '%h', alias);
}

function problemIn(settings: readonly (Setting<unknown> | undefined)[]): string | undefined {
  const found = settings.find((setting) => setting?.kind === 'problem');
  return found?.kind === 'problem' ? `${found.problem} (line ${found.line})` : undefined;
}

function valueIn<T>(setting: Setting<T> | undefined): T | undefined {
  return setting?.kind === 'value' ? setting.value : undefined;
}
