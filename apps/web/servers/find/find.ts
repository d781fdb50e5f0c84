import { type Folded, foldName } from '../../lib/match/fold.ts';
import { rankOf, scatteredRank } from '../../lib/match/rank.ts';
import type { Server } from '../servers.ts';
import type { ServerQuery, State } from './query.ts';
import type { IndexedServer, ServerIndex } from './server-index.ts';

/** What is known about servers beyond their record. */
export interface Surroundings {
  stateOf(server_id: number): string;
  isFavorite(server_id: number): boolean;
  /** The last opened first. */
  readonly recents: readonly number[];
}

export interface Found {
  readonly server: Server;
  /** Lower is better. */
  readonly rank: number;
}

const NOWHERE: Surroundings = { stateOf: () => 'unknown', isFavorite: () => false, recents: [] };

/** The servers that match, best first; equal matches with the last opened first, then by name. */
export function findServers(
  query: ServerQuery,
  index: ServerIndex,
  surroundings: Surroundings = NOWHERE,
): readonly Found[] {
  const isWanted = createFilter(query, index, surroundings);
  const among = index.list.filter(isWanted);
  const recent = new Map(surroundings.recents.map((id, at) => [id, at]));
  const recency = ({ server }: Found) => recent.get(server.id) ?? surroundings.recents.length;
  return ranked(query, among).sort((one, other) => one.rank - other.rank || recency(one) - recency(other));
}

function ranked({ words }: ServerQuery, among: readonly IndexedServer[]): Found[] {
  if (words.joined === '') return among.map(({ server }) => ({ server, rank: 0 }));
  const by = (rank: typeof rankOf) =>
    among.flatMap(({ server, candidate }) => {
      const found = rank(words, candidate);
      return found === undefined ? [] : [{ server, rank: found }];
    });
  const found = by(rankOf);
  return found.length > 0 ? found : by(scatteredRank);
}

/** The tokens of a query as a test. */
export function createFilter(
  { tags, groups, states, is_favorite }: ServerQuery,
  index: ServerIndex,
  { stateOf, isFavorite }: Surroundings,
): (indexed: IndexedServer) => boolean {
  const tag_tests = tags.map((tag) => createLabelTest(tag, index.tags));
  const group_tests = groups.map((group) => createLabelTest(group, index.groups));
  return (indexed) =>
    tag_tests.every((isMet) => indexed.tags.some(isMet)) &&
    (groups.length === 0 || group_tests.some((isMet) => isMet(indexed.group))) &&
    (states.length === 0 || isIn(stateOf(indexed.server.id), states)) &&
    (!is_favorite || isFavorite(indexed.server.id));
}

/** The label itself if it exists, otherwise every label with a word that starts like this. */
function createLabelTest(typed: string, known: ReadonlySet<string>): (label: Folded) => boolean {
  const wanted = foldName(typed).text;
  if (known.has(wanted) || wanted === '') return ({ text }) => text === wanted;
  return ({ text, starts }) => {
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1))
      if (starts[at]) return true;
    return false;
  };
}

/** The state of a server that was not checked is unknown too. */
function isIn(status: string, states: readonly State[]): boolean {
  return states.some((state) => state === status || (state === 'unknown' && status === 'unchecked'));
}
