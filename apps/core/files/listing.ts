import type { FilePlace } from '../accounts/tickets.ts';
import { Fault } from '../errors.ts';
import { digest } from '../lib/bytes/bytes.ts';
import { createGiveWay } from '../lib/concurrency/give-way.ts';
import { createKeyedLimiter, type Limiter } from '../lib/concurrency/limiter.ts';
import { sortedInTurns } from '../lib/concurrency/sorted-in-turns.ts';
import { readable } from '../lib/paths/path-bytes.ts';
import { joinPath, nameOf, namesBelow, normalizePath } from '../lib/paths/posix-path.ts';
import { LARGE_ANSWER_BYTES, TEXT_LIMIT_BYTES } from '../limits.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { DirectoryEntry, Home, Listing, TextFile } from '../model/files/directory-entry.ts';
import type { Found } from '../model/files/file-change.ts';
import type { FileSession } from '../ports/files.ts';
import type { FileAccess, Granted } from './access.ts';
import type { Grow, LargeAnswers } from './large-answers.ts';

const BINARY_PROBE_BYTES = 8 * 1024;
const READS_AT_ONCE = 4; // per user and server; each text is held in memory
const SEARCH_MS = 10_000;

export interface SearchPlace extends FilePlace {
  readonly q: string;
  readonly limit: number;
}

export interface AskedAnswer {
  /** Aborts when the caller no longer waits. */
  readonly signal?: AbortSignal | undefined;
  /** Aborts when the caller has the answer, or will not take it. */
  readonly answered?: AbortSignal | undefined;
}

/** Reads directories and text files. */
export interface Files {
  /** The directory to start in. */
  home(caller: Caller, server_id: number): Promise<Home>;
  list(caller: Caller, place: FilePlace, asked?: AskedAnswer): Promise<Listing>;
  stat(caller: Caller, place: FilePlace): Promise<DirectoryEntry>;
  read(caller: Caller, place: FilePlace, asked?: AskedAnswer): Promise<TextFile>;
  search(caller: Caller, place: SearchPlace, signal?: AbortSignal): Promise<Found>;
}

interface Deps {
  readonly access: FileAccess;
  readonly large_answers: LargeAnswers;
}

export function createFiles({ access, large_answers }: Deps): Files {
  const limited = createKeyedLimiter(READS_AT_ONCE);
  return {
    home: (caller, server_id) => homeOf(access, caller, server_id),

    list: (caller, { server_id, path }, { signal, answered } = {}) =>
      access.act({ caller, server_id, operation: 'ls', paths: { path }, signal }, (granted) =>
        large_answers({ user_id: caller.user_id, signal: granted.signal, answered }, (grow) =>
          listingOf(granted, grow),
        ),
      ),

    stat: (caller, { server_id, path }) =>
      access.act(
        { caller, server_id, operation: 'stat', paths: { path } },
        async ({ session, real, shown }) => shownAt(await session.entry(real.path), shown.path),
      ),

    read: (caller, { server_id, path }, { signal, answered } = {}) =>
      access.act({ caller, server_id, operation: 'read', paths: { path }, signal }, (granted) =>
        large_answers({ user_id: caller.user_id, signal: granted.signal, answered }, async (grow) => {
          const { server, session, real, shown } = granted;
          const inTurn: Limiter = (work) => limited(`${caller.user_id} ${server_id}`, work);
          const bytes = await readText({ session, path: real.path, inTurn, grow });
          const content = toText(bytes);
          const is_writable = !server.sftp_read_only && (await session.mayWrite(real.path));
          return {
            path: shown.path,
            content,
            etag: await textEtag(content),
            size: bytes.length,
            is_writable,
          };
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

async function listingOf({ session, real, shown }: Granted<'ls'>, grow: Grow): Promise<Listing> {
  const is_same = shown.path === real.path;
  const giveWay = createGiveWay();
  const entries: DirectoryEntry[] = [];
  const names = { users: new Map<string, string>(), groups: new Map<string, string>() };
  for (const entry of await session.list(real.path, { names, grow })) {
    const path = is_same ? entry.path : joinPath(shown.path, entry.name);
    entries.push(shownAs(entry, path, entry.name));
    const turn = giveWay(); // an await for each entry would cost more than the entry
    if (turn !== undefined) await turn;
  }
  const [users, groups] = [Object.fromEntries(names.users), Object.fromEntries(names.groups)];
  return { path: shown.path, entries: await inOrder(entries), users, groups };
}

interface TextRead {
  readonly session: FileSession;
  readonly path: string;
  readonly inTurn: Limiter;
  readonly grow: Grow;
}

async function readText({ session, path, inTurn, grow }: TextRead): Promise<Uint8Array> {
  const small = await inTurn(() => readSmall(session, path));
  if (small) return small;
  await grow(TEXT_LIMIT_BYTES);
  return inTurn(async () => (await session.openRead(path)).readAll(TEXT_LIMIT_BYTES));
}

/** Undefined for a large file: it is closed, since it would hold a channel while it waits for its turn. */
async function readSmall(session: FileSession, path: string): Promise<Uint8Array | undefined> {
  const file = await session.openRead(path);
  if (file.stat.size > LARGE_ANSWER_BYTES) {
    await file.close();
    return undefined;
  }
  try {
    return await file.readAll(LARGE_ANSWER_BYTES);
  } catch (error) {
    if (error instanceof Fault && error.code === 'file_too_large') return undefined; // larger than reported, as in `/proc`
    throw error;
  }
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
