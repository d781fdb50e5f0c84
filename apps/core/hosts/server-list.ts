import { concatenated, digestOf, utf8 } from '../lib/bytes/bytes.ts';
import { createCoalescing } from '../lib/concurrency/coalescing.ts';
import { createGiveWay } from '../lib/concurrency/give-way.ts';
import { compareText } from '../lib/text/alphabetical.ts';
import { type ServerFilter, type ServerRow, toServer } from '../model/hosts/server.ts';
import type { ServerRepository, VisibleGroups } from '../ports/repositories/hosts.ts';

const READ_AT_ONCE = 200; // rows: a few milliseconds of the event loop
const JOINED_AT_ONCE = 500; // rows
const MOST_VIEWS = 16; // of a large list, each may have some MiB

export interface ServerQuery extends ServerFilter {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** A JSON array of servers, ready to be sent. */
export interface ServerPage {
  readonly json: Uint8Array<ArrayBuffer>;
  /** Weak: it names the content, whatever its encoding. */
  readonly etag: string;
  /** Number of servers on all pages. */
  readonly total_count: number;
}

/** The registry as JSON: each server is written once per change, each view of the list once per state of the registry. */
export interface ServerList {
  page(visible: VisibleGroups, query: ServerQuery): Promise<ServerPage>;
}

interface Prepared {
  readonly id: number;
  readonly version: string;
  readonly name: string;
  readonly group: string;
  readonly tags: readonly string[];
  /** In lower case; the first is the name. */
  readonly texts: readonly [string, string, string];
  readonly json: string;
}

interface State {
  readonly mark: string | undefined;
  /** Ordered by name. */
  readonly servers: readonly Prepared[];
  /** Least recently used first. */
  readonly views: Map<string, ServerPage | Promise<ServerPage>>;
}

export interface ServerListOptions {
  /** False where work ends with the request that began it: nobody may wait for the work of another request. */
  readonly shares_work: boolean;
}

export function createServerList(
  servers: Pick<ServerRepository, 'mark' | 'versions' | 'byIds'>,
  { shares_work }: ServerListOptions,
): ServerList {
  let state: State = { mark: undefined, servers: [], views: new Map() };

  async function refresh(): Promise<State> {
    const known = state;
    if ((await servers.mark()) === known.mark) return known;
    const read = await readFrom(servers, known);
    state = read;
    return read;
  }

  /** The registry as it is after the call, so that everybody sees their own changes, whichever instance made them. */
  const upToDate = shares_work ? createCoalescing(refresh) : refresh;

  return {
    async page(visible, query) {
      const { servers: all, views } = await upToDate();
      const key = JSON.stringify([visible === 'all' ? visible : [...visible].sort(), query]);
      const view = views.get(key) ?? pageOf(all, visible, query);
      views.delete(key);
      views.set(key, shares_work ? view : await view);
      const [oldest] = views.keys();
      if (views.size > MOST_VIEWS && oldest !== undefined) views.delete(oldest);
      return view;
    },
  };
}

/** Reads only what has changed. A row that changes during the reading keeps its older version, and is read again next time. */
async function readFrom(
  servers: Pick<ServerRepository, 'versions' | 'byIds'>,
  before: State,
): Promise<State> {
  const { mark, versions } = await servers.versions();
  const kept = before.servers.filter(({ id, version }) => versions.get(id) === version);
  const known = new Set(kept.map(({ id }) => id));
  const changed = [...versions.keys()].filter((id) => !known.has(id));
  const giveWay = createGiveWay();
  for (let at = 0; at < changed.length; at += READ_AT_ONCE) {
    const rows = await servers.byIds(changed.slice(at, at + READ_AT_ONCE));
    kept.push(...rows.map((row) => prepare(row, versions.get(row.id) ?? '')));
    await giveWay();
  }
  return { mark, servers: kept.sort(byName), views: new Map() };
}

function prepare(row: ServerRow, version: string): Prepared {
  const { id, name, group, tags, hostname, description } = row;
  return {
    ...{ id, version, name, group, tags },
    texts: [name.toLowerCase(), hostname.toLowerCase(), description.toLowerCase()],
    json: JSON.stringify(toServer(row)),
  };
}

/** Compares like `alphabetical`, with the lower case at hand. */
function byName(a: Prepared, b: Prepared): number {
  return compareText(a.texts[0], b.texts[0]) || compareText(a.name, b.name) || a.id - b.id;
}

async function pageOf(
  all: readonly Prepared[],
  visible: VisibleGroups,
  { limit, offset = 0, ...filter }: ServerQuery,
): Promise<ServerPage> {
  const found = all.filter((server) => isVisible(server, visible) && matches(server, filter));
  const shown = limit === undefined ? found.slice(offset) : found.slice(offset, offset + limit);
  const json = await joined(shown);
  return { json, etag: `W/"${await digestOf(json)}-${found.length}"`, total_count: found.length };
}

function isVisible({ group }: Prepared, visible: VisibleGroups): boolean {
  return visible === 'all' || visible.includes(group);
}

function matches({ group, tags, texts }: Prepared, filter: ServerFilter): boolean {
  if (filter.group !== undefined && group !== filter.group) return false;
  if (filter.tag !== undefined && !tags.includes(filter.tag)) return false;
  const sought = (filter.search ?? '').toLowerCase();
  return texts.some((text) => text.includes(sought));
}

async function joined(servers: readonly Prepared[]): Promise<Uint8Array<ArrayBuffer>> {
  const giveWay = createGiveWay();
  const parts: Uint8Array[] = [];
  for (let at = 0; at < servers.length; at += JOINED_AT_ONCE) {
    const texts = servers.slice(at, at + JOINED_AT_ONCE).map(({ json }) => json);
    parts.push(utf8(`${at === 0 ? '' : ','}${texts.join(',')}`));
    await giveWay();
  }
  return concatenated([utf8('['), ...parts, utf8(']')]);
}
