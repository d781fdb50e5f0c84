import { Fault } from '../../../errors.ts';
import type { GiveWay } from '../../../lib/give-way.ts';
import { MAX_HOPS } from '../../../model/limits.ts';
import { byName } from '../jumps.ts';
import type { Jump, PlannedServer } from '../planned-server.ts';
import { byAlias, createExtras, type SshConfigSetting } from './extras.ts';
import type { SshConfigHost, SshConfigJump } from './parse.ts';

/** The jump hosts that ProxyJump values resolve to. */
interface Ways {
  /** For the host at this index. */
  ownJump(index: number): Promise<Jump>;
  /** Jump hosts without a `Host` section, appended after the hosts. */
  added(): readonly PlannedServer[];
  warnings(): readonly string[];
}

export function createWays(
  hosts: readonly SshConfigHost[],
  setting: SshConfigSetting,
  giveWay: GiveWay,
): Ways {
  const aliases = byAlias(hosts);
  const registered_ids = byName(setting.registry.map(({ name, id }) => ({ name, value: id })));
  const extras = createExtras(hosts, setting);
  const known = new Map<number, Jump>();

  /** `ssh -J a,b host` reaches `b` through `a`, ignoring the settings of `b`; only `a` uses its own settings. */
  function wayOf({ jumps, alias }: SshConfigHost): Jump {
    let way: Jump;
    for (const jump of jumps) way = listed(jump, way) ?? registered(jump, way) ?? extras.of(jump, way, alias);
    return way;
  }

  function listed(jump: SshConfigJump, via: Jump): Jump {
    const index = indexOf(jump);
    if (index === undefined) return undefined;
    const is_reached_so = !via || isSame(known.get(index), via);
    return is_reached_so ? { kind: 'file', index } : undefined;
  }

  /** The host in the text that is meant. */
  function indexOf(jump: SshConfigJump): number | undefined {
    const found = aliases.get(jump.host);
    return found && isPlain(jump, found.host) ? found.index : undefined;
  }

  function registered(jump: SshConfigJump, via: Jump): Jump {
    if (via || aliases.has(jump.host) || jump.user !== undefined || jump.port !== undefined) return undefined;
    const [id, ...others] = registered_ids.get(jump.host) ?? [];
    return id !== undefined && others.length === 0 ? { kind: 'registry', id } : undefined;
  }

  /** The listed jump hosts after the first: their own routes must be resolved before this one. */
  function neededFor({ alias, jumps }: SshConfigHost): number[] {
    if (jumps.length > MAX_HOPS)
      throw new Fault('jump_too_deep', `${alias}: more than ${MAX_HOPS} jump hosts`);
    return jumps.slice(1).flatMap((jump) => indexOf(jump) ?? []);
  }

  /** In a cycle, one host is taken as it is; the import then refuses the cycle. */
  async function ownJump(start: number): Promise<Jump> {
    const pending = known.has(start) ? [] : [start]; // not recursive: a chain may have thousands of hosts
    const begun = new Set(pending);
    for (let index = pending.at(-1); index !== undefined; index = pending.at(-1)) {
      await giveWay();
      const host = hosts[index];
      const next = host && neededFor(host).find((needed) => !known.has(needed) && !begun.has(needed));
      if (next === undefined) {
        known.set(index, host && wayOf(host));
        pending.pop();
      } else {
        begun.add(next);
        pending.push(next);
      }
    }
    return known.get(start);
  }

  return { ownJump, added: extras.added, warnings: extras.warnings };
}

function isPlain(jump: SshConfigJump, host: SshConfigHost): boolean {
  return (
    (jump.user === undefined || jump.user === host.user) &&
    (jump.port === undefined || jump.port === host.port)
  );
}

function isSame(one: Jump, other: Jump): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
