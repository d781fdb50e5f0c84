import type { SshConfigHost, SshConfigJump } from '../lib/ssh-config.ts';
import type { ServerRow } from '../model/server.ts';
import type { Jump, PlannedServer } from './planned-server.ts';
import { promptedInput } from './ssh-config-input.ts';

const DEFAULT_PORT = 22;

export interface SshConfigSetting {
  readonly group: string;
  /** Where the text names no user. */
  readonly username: string;
  readonly registry: readonly Pick<ServerRow, 'id' | 'name'>[];
}

/** What the values of ProxyJump lead to. */
interface Ways {
  /** Of the host at this index. */
  ownJump(index: number): Jump;
  /** Jump hosts that are no `Host` of the text; they follow the hosts. */
  added(): readonly PlannedServer[];
  warnings(): readonly string[];
}

export function createWays(hosts: readonly SshConfigHost[], setting: SshConfigSetting): Ways {
  const aliases = new Map(hosts.map((host, index) => [host.alias, { host, index }]));
  const extras = createExtras(hosts, setting);
  const resolving = new Set<number>();
  const known = new Map<number, Jump>();

  /** `ssh -J a,b host` reaches `b` through `a` whatever `b` says of itself; `a` alone is reached by its own rules. */
  function wayOf({ jumps, alias }: SshConfigHost): Jump {
    let way: Jump;
    for (const jump of jumps) way = listed(jump, way) ?? registered(jump, way) ?? extras.of(jump, way, alias);
    return way;
  }

  function listed(jump: SshConfigJump, via: Jump): Jump {
    const found = aliases.get(jump.host);
    if (!found || !isPlain(jump, found.host)) return undefined;
    const is_reached_so = !via || isSame(ownJump(found.index), via);
    return is_reached_so ? { kind: 'file', index: found.index } : undefined;
  }

  function registered(jump: SshConfigJump, via: Jump): Jump {
    if (via || aliases.has(jump.host) || jump.user !== undefined || jump.port !== undefined) return undefined;
    const [only, ...others] = setting.registry.filter(({ name }) => name === jump.host);
    return only && others.length === 0 ? { kind: 'registry', id: only.id } : undefined;
  }

  /** Of hosts that jump in a circle one is taken as it stands; the import refuses the circle. */
  function ownJump(index: number): Jump {
    const host = hosts[index];
    if (!host || resolving.has(index) || known.has(index)) return known.get(index);
    resolving.add(index);
    const jump = wayOf(host);
    resolving.delete(index);
    known.set(index, jump);
    return jump;
  }

  return { ownJump, added: extras.added, warnings: extras.warnings };
}

/** A jump host that is no `Host` of the text becomes a server of its own: without it the way would be another one. */
function createExtras(hosts: readonly SshConfigHost[], { group, username, registry }: SshConfigSetting) {
  const added: PlannedServer[] = [];
  const known = new Map<string, Jump>();
  const warnings: string[] = [];

  function nameOf(way: NonNullable<Jump>): string {
    const name =
      way.kind === 'registry'
        ? registry.find(({ id }) => id === way.id)?.name
        : (hosts[way.index]?.alias ?? added[way.index - hosts.length]?.input.name);
    return name ?? 'another';
  }

  function add(jump: SshConfigJump, via: Jump, wanted_by: string): Jump {
    const listed = hosts.find(({ alias }) => alias === jump.host);
    const name = via ? `${labelOf(jump)} via ${nameOf(via)}` : labelOf(jump);
    const input = promptedInput({
      name,
      hostname: listed?.hostname ?? jump.host,
      port: jump.port ?? listed?.port ?? DEFAULT_PORT,
      username: jump.user ?? listed?.user ?? username,
      group,
    });
    added.push({ input, jump: via });
    warnings.push(`${name} was added, since ProxyJump of ${wanted_by} names it`);
    return { kind: 'file', index: hosts.length + added.length - 1 };
  }

  return {
    of(jump: SshConfigJump, via: Jump, wanted_by: string): Jump {
      const key = JSON.stringify([jump, via]);
      const way = known.get(key) ?? add(jump, via, wanted_by);
      known.set(key, way);
      return way;
    },
    added: () => added,
    warnings: () => warnings,
  };
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

function labelOf({ user, host, port }: SshConfigJump): string {
  return `${user === undefined ? '' : `${user}@`}${host}${port === undefined ? '' : `:${port}`}`;
}
