import type { ServerRow } from '../../../model/server.ts';
import type { Jump, PlannedServer } from '../planned-server.ts';
import { promptedInput } from './input.ts';
import { assertNotTooMany, type SshConfigHost, type SshConfigJump } from './parse.ts';

const DEFAULT_PORT = 22;

export interface SshConfigSetting {
  readonly group: string;
  /** Used where the text names no user. */
  readonly username: string;
  readonly registry: readonly Pick<ServerRow, 'id' | 'name'>[];
}

/** A jump host without a `Host` section becomes a server of its own, so that the route stays the same. */
export function createExtras(
  hosts: readonly SshConfigHost[],
  { group, username, registry }: SshConfigSetting,
) {
  const aliases = byAlias(hosts);
  const names = new Map(registry.map(({ id, name }) => [id, name]));
  const added: PlannedServer[] = [];
  const known = new Map<string, Jump>();
  const warnings: string[] = [];

  function nameOf(way: NonNullable<Jump>): string {
    const name =
      way.kind === 'registry'
        ? names.get(way.id)
        : (hosts[way.index]?.alias ?? added[way.index - hosts.length]?.input.name);
    return name ?? 'another';
  }

  function add(jump: SshConfigJump, via: Jump, wanted_by: string): Jump {
    assertNotTooMany(hosts.length + added.length + 1);
    const listed = aliases.get(jump.host)?.host;
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

export function byAlias(hosts: readonly SshConfigHost[]) {
  return new Map(hosts.map((host, index) => [host.alias, { host, index }]));
}

function labelOf({ user, host, port }: SshConfigJump): string {
  return `${user === undefined ? '' : `${user}@`}${host}${port === undefined ? '' : `:${port}`}`;
}
