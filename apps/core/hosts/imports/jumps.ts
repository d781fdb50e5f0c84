import { Fault } from '../../errors.ts';
import { MAX_HOPS } from '../../limits.ts';
import type { ServerRow } from '../../model/hosts/server.ts';
import type { ImportedServer } from '../../model/hosts/server-transfer.ts';
import type { Jump } from './planned-server.ts';

interface Resolved {
  readonly jump: Jump;
  readonly warning?: string;
}

/** Resolves jump hosts of an import by name, otherwise by the old id inside the file, never by raw id. */
export function jumpsOf(servers: readonly ImportedServer[], registry: readonly Named[]) {
  const places: Places = {
    in_file: byName(servers.map(({ name }, index) => ({ name, value: index }))),
    registered: byName(registry.map(({ name, id }) => ({ name, value: id }))),
    by_old_id: new Map(servers.flatMap(({ id }, index) => (id === undefined ? [] : [[id, index] as const]))),
  };
  const resolved = servers.map((server) => resolve(server, places));
  return {
    jumps: resolved.map(({ jump }) => jump),
    warnings: resolved.flatMap(({ warning }) => warning ?? []),
  };
}

type Named = Pick<ServerRow, 'id' | 'name'>;

interface Places {
  /** Indexes by name. */
  readonly in_file: ReadonlyMap<string, readonly number[]>;
  /** Ids by name. */
  readonly registered: ReadonlyMap<string, readonly number[]>;
  readonly by_old_id: ReadonlyMap<number, number>;
}

function resolve({ name, jump_via_name, jump_via_id }: ImportedServer, places: Places): Resolved {
  const index = jump_via_id ? places.by_old_id.get(jump_via_id) : undefined;
  if (jump_via_name) return resolveName(name, jump_via_name, index, places);
  if (index !== undefined) return { jump: { kind: 'file', index } };
  return jump_via_id
    ? without(`${name}: its jump host has no name and is not in the file`)
    : { jump: undefined };
}

/** If several have the name, the old id decides. */
function resolveName(name: string, via: string, index: number | undefined, places: Places): Resolved {
  const here = places.in_file.get(via) ?? [];
  const meant = index !== undefined && here.includes(index) ? [index] : here;
  const [only] = meant;
  if (only !== undefined && meant.length === 1) return { jump: { kind: 'file', index: only } };
  if (meant.length > 1) return without(`${name}: there are several servers named ${via}`);
  const [id, ...others] = places.registered.get(via) ?? [];
  if (id === undefined && index !== undefined) return { jump: { kind: 'file', index } };
  if (id === undefined) return without(`${name}: there is no server named ${via}`);
  if (others.length > 0) return without(`${name}: there are several servers named ${via}`);
  return { jump: { kind: 'registry', id } };
}

function without(what: string): Resolved {
  return { jump: undefined, warning: `${what}; added without a jump host` };
}

export function byName(
  servers: readonly { readonly name: string; readonly value: number }[],
): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const { name, value } of servers) {
    const same = found.get(name);
    if (same) same.push(value);
    else found.set(name, [value]);
  }
  return found;
}

/** Throws for circular or too deep jump hosts; `depthVia` counts those already registered. */
export async function assertDepths(
  jumps: readonly Jump[],
  depthVia: (jump_via_id: number) => Promise<number>,
): Promise<void> {
  const registered = new Map<number, number>();
  for (const jump of jumps) {
    if (jump?.kind !== 'registry' || registered.has(jump.id)) continue;
    registered.set(jump.id, await depthVia(jump.id));
  }
  for (const jump of jumps) {
    if (depthOf(jump, jumps, registered) > MAX_HOPS) throw new Fault('jump_too_deep');
  }
}

function depthOf(start: Jump, jumps: readonly Jump[], registered: ReadonlyMap<number, number>): number {
  let depth = 0;
  let jump = start;
  for (; jump?.kind === 'file'; jump = jumps[jump.index]) {
    depth += 1;
    if (depth > jumps.length) throw new Fault('jump_cycle');
  }
  return depth + (jump ? (registered.get(jump.id) ?? 0) : 0);
}
