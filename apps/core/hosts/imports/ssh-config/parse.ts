import { Fault, invalidField } from '../../../errors.ts';
import { createGiveWay } from '../../../lib/concurrency/give-way.ts';
import { quoted, type Warnings } from '../warning-list.ts';
import { aliasesOf, createLookup, type NamedHost, readBlocks } from './blocks.ts';
import { type Reading, readHost } from './host.ts';

const LONGEST_TEXT = 1024 * 1024;
const MOST_STEPS = 20_000_000; // about a second, twice what 5,000 hosts with 500 wildcards need
const MOST_HOSTS = 5000;
const MOST_NAMED = 5; // of the missing ones

/** A configuration of which each host is read when it is needed. */
export interface SshConfig {
  /** The hosts that the text names, by name, in order of appearance. */
  readonly hosts: ReadonlyMap<string, NamedHost>;
  /** Those to import. */
  readonly chosen: readonly NamedHost[];
  /** What `ssh` would do for a name. */
  read(name: string): Promise<Reading>;
  /** Warns about sections that no host has used so far. */
  warnAboutUnused(): void;
}

/** Reads an OpenSSH client configuration as `ssh` would for each name, without running anything. */
export async function openSshConfig(
  text: string,
  warnings: Warnings,
  names?: readonly string[],
): Promise<SshConfig> {
  if (text.length > LONGEST_TEXT) throw tooLarge();
  const giveWay = createGiveWay();
  const blocks = await readBlocks(text, warnings, giveWay);
  const hosts = aliasesOf(blocks);
  const chosen = names ? chosenOf(hosts, new Set(names)) : [...hosts.values()];
  assertNotTooMany(chosen.length);
  const lookup = await createLookup(blocks, { steps_left: MOST_STEPS, giveWay }, warnings);
  const readings = new Map<string, Reading>();

  async function read(alias: string): Promise<Reading> {
    await giveWay();
    const settings = await lookup.of(alias);
    if (!settings) throw tooLarge();
    const reading = readHost(hosts.get(alias) ?? { alias, line: undefined }, settings);
    readings.set(alias, reading);
    return reading;
  }

  return {
    hosts,
    chosen,
    read: async (name) => readings.get(name) ?? read(name),
    warnAboutUnused: () => {
      if (!names) lookup.warnAboutUnmatched();
    },
  };
}

/** Throws for a name that is not in the text. */
function chosenOf(hosts: ReadonlyMap<string, NamedHost>, wanted: ReadonlySet<string>): NamedHost[] {
  const missing = [...wanted].filter((name) => !hosts.has(name));
  if (missing.length === 0) return [...hosts.values()].filter(({ alias }) => wanted.has(alias));
  const shown = missing.slice(0, MOST_NAMED).map((name) => quoted(name).slice(1, -1));
  const message = `Not in this text: ${shown.join(', ')}${missing.length > MOST_NAMED ? ', …' : ''}`;
  throw invalidField('hosts', message);
}

/** Per import, including added jump hosts. */
export function assertNotTooMany(hosts: number): void {
  if (hosts <= MOST_HOSTS) return;
  throw new Fault('validation', `More than ${MOST_HOSTS} servers, jump hosts included: import in parts`);
}

function tooLarge(): Fault {
  return new Fault('validation', 'The configuration is too large: import in parts');
}
