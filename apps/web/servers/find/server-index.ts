import { type Folded, foldName, foldText } from '../../lib/match/fold.ts';
import { compareNaturally } from '../../lib/match/natural.ts';
import { type Candidate, candidateOf } from '../../lib/match/rank.ts';
import { addressOf, type Server } from '../servers.ts';

/** A server prepared for matching. */
export interface IndexedServer {
  readonly server: Server;
  readonly candidate: Candidate;
  readonly group: Folded;
  readonly tags: readonly Folded[];
  /** Changes when the prepared texts would. */
  readonly source: string;
}

/** All servers in natural order of their names, prepared once rather than with each letter typed. */
export interface ServerIndex {
  readonly list: readonly IndexedServer[];
  readonly by_id: ReadonlyMap<number, IndexedServer>;
  /** The folded tags and groups that exist. */
  readonly tags: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

const SEPARATOR = '\n';

/** Reuses what `before` has prepared. */
export function indexServers(servers: readonly Server[], before?: ServerIndex): ServerIndex {
  const foldedOf = createFolds();
  const list = servers.map((server) => {
    const source = sourceOf(server);
    const known = before?.by_id.get(server.id);
    return known?.source === source ? { ...known, server } : prepare(server, source, foldedOf);
  });
  const place = new Map(before?.list.map(({ candidate }, at) => [candidate, at]));
  const placeOf = ({ candidate }: IndexedServer) => place.get(candidate) ?? Number.NaN;
  list.sort((one, other) => placeOf(one) - placeOf(other) || compareServers(one.server, other.server));
  return {
    list,
    by_id: new Map(list.map((one) => [one.server.id, one])),
    tags: new Set(list.flatMap(({ tags }) => tags.map(({ text }) => text))),
    groups: new Set(list.map(({ group }) => group.text)),
  };
}

/** Tags and groups repeat: each is folded once. */
function createFolds(): (text: string) => Folded {
  const folds = new Map<string, Folded>();
  return (text) => {
    const folded = folds.get(text) ?? foldName(text);
    folds.set(text, folded);
    return folded;
  };
}

function prepare(server: Server, source: string, foldedOf: (text: string) => Folded): IndexedServer {
  const { name, description } = server;
  const group = foldedOf(server.group);
  const tags = server.tags.map(foldedOf);
  const addresses = [server.hostname, addressOf(server)].map(foldText);
  const candidate = candidateOf(name, [...tags, group], addresses, [foldText(description)]);
  return { server, candidate, group, tags, source };
}

function sourceOf({ name, hostname, username, port, group, description, tags }: Server): string {
  return [name, hostname, username, port, group, description, ...tags].join(SEPARATOR);
}

function compareServers(one: Server, other: Server): number {
  return compareNaturally(one.name, other.name) || one.id - other.id;
}
