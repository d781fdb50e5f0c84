import type { FilePlace } from '../accounts/tickets.ts';
import { Fault } from '../errors.ts';
import { digest } from '../lib/bytes.ts';
import { createGiveWay } from '../lib/give-way.ts';
import { createKeyedLimiter } from '../lib/limiter.ts';
import { readable } from '../lib/path-bytes.ts';
import { joinPath, nameOf, namesBelow, normalizePath } from '../lib/posix-path.ts';
import { sortedInTurns } from '../lib/sorted-in-turns.ts';
import type { Caller } from '../model/caller.ts';
import type { DirectoryEntry, Home, Listing, TextFile } from '../model/directory-entry.ts';
import type { Found } from '../model/file-change.ts';
import { TEXT_LIMIT_BYTES } from '../model/limits.ts';
import type { FileAccess } from './access.ts';

const BINARY_PROBE_BYTES = 8 * 1024;
const READS_AT_ONCE = 4; // per user and server; each text is held in memory
const SEARCH_MS = 10_000;

export interface SearchPlace extends FilePlace {
  readonly q: string;
  readonly limit: number;
}

/** Reads directories and text files. */
export interface Files {
  /** The directory to start in. */
  home(caller: Caller, server_id: number): Promise<Home>;
  list(caller: Caller, place: FilePlace, signal?: AbortSignal): Promise<Listing>;
  stat(caller: Caller, place: FilePlace): Promise<DirectoryEntry>;
  read(caller: Caller, place: FilePlace): Promise<TextFile>;
  search(caller: Caller, place: SearchPlace, signal?: AbortSignal): Promise<Found>;
}

export function createFiles({ access }: { readonly access: FileAccess }): Files {
  const limited = createKeyedLimiter(READS_AT_ONCE);
  return {
    home: (caller, server_id) => homeOf(access, caller, server_id),

    list: (caller, { server_id, path }, signal) =>
      access.act({ caller, server_id, operation: 'ls', paths: { path }, signal }, async (granted) => {
        const { session, real, shown } = granted;
        const is_same = shown.path === real.path;
        const giveWay = createGiveWay();
        const entries: DirectoryEntry[] = [];
        const names = { users: new Map<string, string>(), groups: new Map<string, string>() };
        for (const entry of await session.list(real.path, names)) {
          const path = is_same ? entry.path : joinPath(shown.path, entry.name);
          entries.push(shownAs(entry, path, entry.name));
          const turn = giveWay(); // an await for each entry would cost more than the entry
          if (turn !== undefined) await turn;
        }
        const [users, groups] = [Object.fromEntries(names.users), Object.fromEntries(names.groups)];
        return { path: shown.path, entries: await inOrder(entries), users, groups };
      }),

    stat: (caller, { server_id, path }) =>
      access.act(
        { caller, server_id, operation: 'stat', paths: { path } },
        async ({ session, real, shown }) => shownAt(await session.entry(real.path), shown.path),
      ),

    read: (caller, { server_id, path }) =>
      access.act({ caller, server_id, operation: 'read', paths: { path } }, ({ session, real, shown }) =>
        limited(`${caller.user_id} ${server_id}`, async () => {
          const bytes = await (await session.openRead(real.path)).readAll(TEXT_LIMIT_BYTES);
          const content = toText(bytes);
          return { path: shown.path, content, etag: await textEtag(content), size: bytes.length };
        }),
      ),

    search: (caller, { server_id, path, q, limit }, signal) =>
      access.act({ caller, server_id, operation: 'search', paths: { path }, signal }, async (granted) => {
        const { session, real, shown } = granted;
        const found = await session.statOf(real.path);
        if (found && found.kind !== 'directory') throw new Fault('not_a_directory');
        const options = { text: q, limit, longest_ms: SEARCH_MS, signal: granted.signal };
        const { entries, truncated } = await session.search(real.path, options);
        const below = (found: string) => joinPath(shown.path, namesBelow(found, real.path));
        return {
          path: shown.path,
          entries: entries.map((entry) => shownAt(entry, below(entry.path))),
          truncated,
        };
      }),
  };
}

/** The login directory, or the first existing allowed directory. */
async function homeOf(access: FileAccess, caller: Caller, server_id: number): Promise<Home> {
  const { login, allowed } = await access.act(
    { caller, server_id, operation: 'home', paths: {} },
    async ({ server, session }) => ({
      login: await session.loginDirectory(),
      allowed: server.sftp_allowed_paths,
    }),
  );
  if (allowed.length === 0) return { path: login };
  const isThere = (path: string) =>
    access.act({ caller, server_id, operation: 'ls', paths: { path } }, async () => true).catch(noneOfThese);
  for (const path of [login, ...allowed.map(normalizePath)]) {
    if (await isThere(path)) return { path };
  }
  return { path: normalizePath(allowed[0] ?? '/') }; // listing it will report the error
}

function noneOfThese(error: unknown): false {
  const passed = ['path_outside_allowed', 'file_not_found', 'permission_denied', 'not_a_directory'];
  if (error instanceof Fault && passed.includes(error.code)) return false;
  throw error;
}

/** A quoted ETag of the content: SFTP times only have whole seconds. */
export async function textEtag(content: string): Promise<string> {
  return `"${await digest(content)}"`;
}

function shownAt(entry: DirectoryEntry, path: string): DirectoryEntry {
  return shownAs(entry, path, nameOf(path));
}

function shownAs(entry: DirectoryEntry, path: string, name: string): DirectoryEntry {
  const link_target = entry.link_target === null ? null : readable(entry.link_target);
  const shown = { path, name: readable(name), link_target };
  const is_same = path === entry.path && shown.name === entry.name && link_target === entry.link_target;
  return is_same ? entry : { ...entry, ...shown };
}

interface Keyed {
  readonly entry: DirectoryEntry;
  readonly key: string;
}

function compareKeyed(a: Keyed, b: Keyed): number {
  if (a.entry.is_dir !== b.entry.is_dir) return a.entry.is_dir ? -1 : 1;
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

/** Directories first, then by name, ignoring case. */
async function inOrder(entries: readonly DirectoryEntry[]): Promise<DirectoryEntry[]> {
  const giveWay = createGiveWay();
  const keyed: Keyed[] = [];
  for (const entry of entries) {
    keyed.push({ entry, key: entry.name.toLowerCase() });
    const turn = giveWay();
    if (turn !== undefined) await turn;
  }
  const sorted = await sortedInTurns(keyed, compareKeyed);
  return sorted.map(({ entry }) => entry);
}

export function toText(bytes: Uint8Array): string {
  if (bytes.subarray(0, BINARY_PROBE_BYTES).includes(0)) throw new Fault('not_text');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Fault('not_text', undefined, { cause });
  }
}
