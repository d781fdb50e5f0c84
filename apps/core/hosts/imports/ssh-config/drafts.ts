import { MAX_HOPS } from '../../../limits.ts';
import { ServerInput, type ServerRow } from '../../../model/hosts/server.ts';
import { byName } from '../jumps.ts';
import { type Blocked, type Draft, type NewServer, nameOf } from './draft.ts';
import type { SshConfigHost } from './host.ts';
import type { Jump } from './jumps.ts';
import { assertNotTooMany } from './parse.ts';

export interface SshConfigSetting {
  readonly group: string;
  /** Used where the text names no user. */
  readonly username: string;
  readonly registry: readonly Pick<ServerRow, 'id' | 'name' | 'jump_via_id'>[];
}

export interface Place {
  readonly via: Draft | undefined;
  /** The number of the line that names the jump hosts. */
  readonly line: number | undefined;
}

/** Makes each server once, so that two drafts are the same if and only if they are reached alike. */
export function createDrafts({ group, username, registry }: SshConfigSetting) {
  const ids = byName(registry.map(({ name, id }) => ({ name, value: id })));
  const rows = new Map(registry.map((row) => [row.id, row]));
  const listed = new Map<string, NewServer>();
  const added = new Map<string, NewServer>();
  const registered = new Map<number, Draft>();
  const numbers = new Map<Draft, number>();

  function numberOf(draft: Draft): number {
    const number = numbers.get(draft) ?? numbers.size;
    numbers.set(draft, number);
    return number;
  }

  function make(host: SshConfigHost, name: string, { via, line }: Place): NewServer | Blocked {
    const { alias, hostname, port, user = username } = host;
    const depth = via ? via.depth + 1 : 0;
    if (depth > MAX_HOPS) return tooDeep(alias, line);
    const input = promptedInput({ name, hostname, port, username: user, group });
    if (!input) return { kind: 'blocked', alias, reason: 'its name, host name or user is not usable', line };
    return { kind: 'new', input, via, depth };
  }

  function depthOf(id: number): number {
    let depth = 0;
    for (let row = rows.get(id); row?.jump_via_id && depth <= MAX_HOPS; row = rows.get(row.jump_via_id))
      depth += 1;
    return depth;
  }

  return {
    /** A host of the text. */
    host(host: SshConfigHost, via: Draft | undefined): NewServer | Blocked {
      const draft = listed.get(host.alias) ?? make(host, host.alias, { via, line: host.jumps_line });
      if (draft.kind === 'new') listed.set(host.alias, draft);
      return draft;
    },

    /** A jump host that the text names, but not as a host of its own, or not reached like this. */
    hop(jump: Jump, host: SshConfigHost, place: Place, wanted_by: string): NewServer | Blocked {
      const { via } = place;
      const key = JSON.stringify([jump.host, jump.user, jump.port, via && numberOf(via)]);
      const found = added.get(key);
      if (found) return found;
      assertNotTooMany(listed.size + added.size + 1);
      const reached = { ...host, port: jump.port ?? host.port, user: jump.user ?? host.user };
      const draft = make(reached, via ? `${labelOf(jump)} via ${nameOf(via)}` : labelOf(jump), place);
      if (draft.kind === 'blocked') return draft;
      const server = { ...draft, wanted_by };
      added.set(key, server);
      return server;
    },

    /** The server of the gateway that is meant: only a plain name can mean one. */
    registered({ host, user, port }: Jump): Draft | undefined {
      const [id, ...others] = user === undefined && port === undefined ? (ids.get(host) ?? []) : [];
      if (id === undefined || others.length > 0) return undefined;
      const draft = registered.get(id) ?? { kind: 'registry', id, name: host, depth: depthOf(id) };
      registered.set(id, draft);
      return draft;
    },

    listed: (alias: string) => listed.get(alias),
    hops: () => [...added.values()],
  };
}

export function tooDeep(alias: string, line: number | undefined): Blocked {
  return { kind: 'blocked', alias, reason: `it has more than ${MAX_HOPS} jump hosts`, line };
}

function labelOf({ user, host, port }: Jump): string {
  return `${user === undefined ? '' : `${user}@`}${host}${port === undefined ? '' : `:${port}`}`;
}

type Address = Pick<ServerInput, 'name' | 'hostname' | 'port' | 'username' | 'group'>;

/** Without stored credentials: users are prompted until an administrator stores some. Undefined if it would be refused. */
function promptedInput(fields: Address): ServerInput | undefined {
  return ServerInput.safeParse({ ...fields, auth_method: 'prompt' }).data;
}
