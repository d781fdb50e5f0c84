import { createGiveWay } from '../../../lib/concurrency/give-way.ts';
import type { Jump, PlannedServer } from '../planned-server.ts';
import { quoted, type Warnings } from '../warning-list.ts';
import type { Blocked, Draft, NewServer } from './draft.ts';
import { createDrafts, type SshConfigSetting } from './drafts.ts';
import { assertNotTooMany, type SshConfig } from './parse.ts';
import { createWays } from './ways.ts';

/**
 * Plans servers from an OpenSSH configuration; jump hosts may be in it, registered, or added. A host that cannot become
 * a server, or whose jump hosts cannot, is left out.
 */
export async function planFromSshConfig(
  config: SshConfig,
  setting: SshConfigSetting,
  warnings: Warnings,
): Promise<PlannedServer[]> {
  const giveWay = createGiveWay();
  const drafts = createDrafts(setting);
  const { wayTo } = createWays(config, drafts);
  const needed = new Set<Draft>();
  for (const { alias } of config.chosen) {
    await giveWay();
    const way = await wayTo(alias);
    const draft = way.kind === 'way' ? drafts.host(way.host, way.via) : way;
    if (draft.kind === 'new') addWithJumps(draft, needed);
    else if (draft.kind === 'blocked') warnings.add(await leftOut(alias, draft, config));
  }
  config.warnAboutUnused();
  const listed = [...config.hosts.keys()].flatMap((alias) => drafts.listed(alias) ?? []);
  const hosts = listed.filter((draft) => needed.has(draft));
  const hops = drafts.hops().filter((draft) => needed.has(draft));
  assertNotTooMany(hosts.length + hops.length);
  for (const { input } of hosts) warnings.add(...(await warningsAbout(input.name, config, setting)));
  for (const { input, wanted_by } of hops)
    warnings.add(`${input.name} was added, since ProxyJump of ${wanted_by} names it`);
  return placed([...hosts, ...hops]);
}

function addWithJumps(draft: NewServer, needed: Set<Draft>): void {
  for (let at: Draft | undefined = draft; at && !needed.has(at); at = at.kind === 'new' ? at.via : undefined)
    needed.add(at);
}

async function leftOut(alias: string, blocked: Blocked, config: SshConfig): Promise<string> {
  const { alias: cause, reason, line, is_loop } = blocked;
  if (cause === alias && is_loop)
    return `Host ${quoted(alias)} is left out, because it jumps through itself (line ${line}).`;
  if (cause === alias) return `Host ${quoted(alias)} is left out: ${reason} (line ${line}).`;
  const reading = await config.read(alias);
  const jumps_line = reading.kind === 'host' ? reading.host.jumps_line : line;
  const why = `its jump host ${quoted(cause)} cannot be used, ${reason}`;
  return `Host ${quoted(alias)} is left out: ${why} (line ${jumps_line}).`;
}

async function warningsAbout(
  alias: string,
  config: SshConfig,
  { username }: SshConfigSetting,
): Promise<string[]> {
  const reading = await config.read(alias);
  if (reading.kind !== 'host') return [];
  const { user, has_identity_file } = reading.host;
  return [
    ...(user === undefined ? [`${alias}: no User is given, so ${username} is used`] : []),
    ...(has_identity_file
      ? [`${alias}: its IdentityFile is not read; store the private key to sign in with it`]
      : []),
  ];
}

/** Adds to each draft the positions of its jump hosts in the list. */
function placed(drafts: readonly NewServer[]): PlannedServer[] {
  const places = new Map<Draft, number>(drafts.map((draft, index) => [draft, index]));
  const jumpOf = (via: Draft | undefined): Jump => {
    if (via?.kind === 'registry') return { kind: 'registry', id: via.id };
    const index = via && places.get(via);
    return index === undefined ? undefined : { kind: 'file', index };
  };
  return drafts.map(({ input, via }) => ({ input, jump: jumpOf(via) }));
}
