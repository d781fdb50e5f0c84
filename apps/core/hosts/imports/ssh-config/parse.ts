import { Fault } from '../../../errors.ts';
import { createGiveWay } from '../../../lib/give-way.ts';
import { quoted, type Warnings } from '../warning-list.ts';
import { aliasesOf, createLookup, readBlocks } from './blocks.ts';
import type { Jump } from './jumps.ts';
import { readName } from './names.ts';
import { expandHostName, type Setting, type Settings } from './settings.ts';

const LONGEST_TEXT = 1024 * 1024;
const MOST_STEPS = 20_000_000; // about a second, twice what 5,000 hosts with 500 wildcards need
const MOST_HOSTS = 5000;

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

/** Reads an OpenSSH client configuration as `ssh` would for each alias, without running anything. */
export async function readSshConfig(text: string, warnings: Warnings): Promise<SshConfigHost[]> {
  if (text.length > LONGEST_TEXT) throw tooLarge();
  const giveWay = createGiveWay();
  const blocks = await readBlocks(text, warnings, giveWay);
  const aliases = aliasesOf(blocks);
  assertNotTooMany(aliases.length);
  const lookup = await createLookup(blocks, { steps_left: MOST_STEPS, giveWay }, warnings);
  const hosts: SshConfigHost[] = [];
  for (const alias of aliases) {
    await giveWay();
    const settings = await lookup.of(alias);
    if (!settings) throw tooLarge();
    const host = toHost(alias, settings, warnings);
    if (host) hosts.push(host);
  }
  lookup.warnAboutUnmatched();
  return hosts;
}

/** Per import, including added jump hosts. */
export function assertNotTooMany(hosts: number): void {
  if (hosts <= MOST_HOSTS) return;
  throw new Fault('validation', `More than ${MOST_HOSTS} servers, jump hosts included: import in parts`);
}

function tooLarge(): Fault {
  return new Fault('validation', 'The configuration is too large: import in parts');
}

function toHost(alias: string, settings: Settings, warnings: Warnings): SshConfigHost | undefined {
  const { hostname, port, user, proxy, has_identity_file = false } = settings;
  const problem = problemIn([hostname, port, user, proxy]);
  const name = problem ? undefined : nameOf(alias, hostname);
  if (name === undefined) {
    warnings.add(
      `Host ${quoted(alias)} is left out: ${problem ?? 'its name is too long, or has characters that cannot be seen'}.`,
    );
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
