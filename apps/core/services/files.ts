import { Fault, toFault } from '../errors.ts';
import { digest, randomToken } from '../lib/bytes.ts';
import { endable } from '../lib/endable.ts';
import { joinPath, nameOf, normalizePath, parentOf } from '../lib/posix-path.ts';
import { createRecent } from '../lib/recent.ts';
import type { Caller } from '../model/caller.ts';
import type { DirectoryEntry, Listing, TextFile } from '../model/directory-entry.ts';
import type { ServerRow } from '../model/server.ts';
import { credentialOf } from '../policy/account.ts';
import { authorizeSftp, OPERATIONS, type Operation } from '../policy/sftp-rules.ts';
import type { Clock } from '../ports/runtime.ts';
import type { ByteRange, FileSession, Files as FilesPort, RemoteFile } from '../ports/ssh.ts';
import type { SessionRegistry } from '../terminal/session-registry.ts';
import { type AuditTrail, serverLabel } from './audit-trail.ts';
import type { Connections } from './connections.ts';
import { discretionFor } from './hop-discretion.ts';
import type { Reach } from './reach.ts';
import type { FilePlace } from './tickets.ts';

const TEXT_LIMIT_BYTES = 8 * 1024 * 1024;
const BINARY_PROBE_BYTES = 8 * 1024;
const SAME_DOWNLOAD_MS = 10 * 60_000;

/** A remote file ready to be sent: exactly one of `stream` and `close` must be called. */
export interface Download {
  readonly name: string;
  readonly size: number;
  readonly modified: string;
  /** Quoted; changes with size or modification time. */
  readonly etag: string;
  stream(range: ByteRange): ReadableStream<Uint8Array>;
  close(): Promise<void>;
}

/** The SFTP operations. Each resolves the path on the server itself, then asks the rules, then acts. */
export interface Files {
  list(caller: Caller, place: FilePlace): Promise<Listing>;
  stat(caller: Caller, place: FilePlace): Promise<DirectoryEntry>;
  read(caller: Caller, place: FilePlace): Promise<TextFile>;
  download(caller: Caller, place: FilePlace): Promise<Download>;
  /** Refuses a place that the caller may not download from. */
  assertMayAsk(caller: Caller, place: FilePlace): Promise<void>;
}

interface Deps {
  readonly reach: Reach;
  readonly connections: Connections;
  readonly files: FilesPort;
  readonly transfers: SessionRegistry;
  readonly trail: AuditTrail;
  readonly clock: Clock;
}

export function createFiles({ reach, connections, files, transfers, trail, clock }: Deps): Files {
  const isRepeated = createRecent(clock, SAME_DOWNLOAD_MS);

  async function openSession(caller: Caller, server: ServerRow): Promise<FileSession> {
    const credential = credentialOf(caller);
    try {
      return await files.open(await connections.targetFor(credential, server));
    } catch (error) {
      const fault = toFault(error);
      if (fault.code === 'host_auth_failed') await connections.forgetTyped(credential, server, fault);
      throw (await discretionFor(caller, server, connections)).fault(error);
    }
  }

  async function act<T>(
    caller: Caller,
    place: FilePlace,
    operation: Operation,
    work: (session: FileSession, real_path: string, server: ServerRow) => Promise<T>,
  ): Promise<T> {
    const server = await reach.forSftp(caller, place.server_id);
    const path = normalizePath(place.path);
    const session = await openSession(caller, server);
    try {
      return await work(session, await judge(session, server, operation, path), server);
    } finally {
      session.release();
    }
  }

  /** Broken off when its caller loses the right to it. */
  function held(caller: Caller, server: ServerRow, source: ReadableStream<Uint8Array>) {
    const id = randomToken(16);
    const { user_id, username } = caller;
    const { stream, end } = endable(source, () => transfers.remove(id));
    const owner = { user_id, username, credential: credentialOf(caller) };
    transfers.transferring({ id, owner, server: { id: server.id, name: server.name } }, end);
    return stream;
  }

  /** A player or a resumed download asks in many parts: they are one. */
  async function recordDownload(caller: Caller, server: ServerRow, path: string): Promise<void> {
    if (isRepeated(JSON.stringify([caller.user_id, caller.ip_address, server.id, path]))) return;
    await trail.record(caller, 'sftp_download', `${serverLabel(server)}: ${path}`);
  }

  return {
    list: (caller, place) =>
      act(caller, place, 'ls', async (session, real_path) => {
        const path = normalizePath(place.path);
        const entries = await session.list(real_path);
        return { path, entries: inOrder(entries.map((entry) => shownAt(entry, joinPath(path, entry.name)))) };
      }),

    stat: (caller, place) =>
      act(caller, place, 'stat', async (session, real_path) =>
        shownAt(await session.entry(real_path), normalizePath(place.path)),
      ),

    read: (caller, place) =>
      act(caller, place, 'read', async (session, real_path) => {
        const bytes = await (await session.openRead(real_path)).readAll(TEXT_LIMIT_BYTES);
        const content = toText(bytes);
        return {
          path: normalizePath(place.path),
          content,
          etag: `"${await digest(content)}"`,
          size: bytes.length,
        };
      }),

    download: (caller, place) =>
      act(caller, place, 'download', async (session, real_path, server) => {
        const file = await sized(await session.openRead(real_path));
        try {
          await recordDownload(caller, server, real_path);
        } catch (error) {
          await file.close();
          throw error;
        }
        const { size, modified } = file.stat;
        return {
          name: nameOf(normalizePath(place.path)),
          size,
          modified,
          etag: `"${Date.parse(modified).toString(36)}-${size.toString(36)}"`,
          stream: (range) => held(caller, server, file.stream(range)),
          close: () => file.close(),
        };
      }),

    async assertMayAsk(caller, { server_id, path }) {
      await reach.forSftp(caller, server_id);
      normalizePath(path);
    },
  };
}

/** A file that says it is empty is read to see: those of `/proc` say so and are not. */
async function sized(file: RemoteFile): Promise<RemoteFile> {
  if (file.stat.size > 0) return file;
  const bytes = await file.readAll(TEXT_LIMIT_BYTES);
  return {
    ...file,
    stat: { ...file.stat, size: bytes.length },
    stream: ({ start, end }) => new Blob([bytes.slice(start, end + 1)]).stream(),
    close: () => Promise.resolve(),
  };
}

/** The path as the server resolves it, once the rules allow the operation there. */
async function judge(
  session: FileSession,
  server: ServerRow,
  operation: Operation,
  path: string,
): Promise<string> {
  const allowed_paths = await Promise.all(
    server.sftp_allowed_paths.map(async (allowed) => (await resolve(session, normalizePath(allowed))).path),
  );
  const { path: real_path, missing } = await resolvePlace(session, path, OPERATIONS[operation].path);
  authorizeSftp({ ...server, sftp_allowed_paths: allowed_paths }, operation, [real_path]);
  if (missing) throw missing; // only now: outside the allowed directories even existence is not revealed
  return real_path;
}

interface Resolved {
  readonly path: string;
  readonly missing?: Fault;
}

async function resolvePlace(session: FileSession, path: string, kind: 'follow' | 'entry'): Promise<Resolved> {
  if (kind === 'follow' || path === '/') return resolve(session, path);
  const parent = await resolve(session, parentOf(path));
  return { ...parent, path: joinPath(parent.path, nameOf(path)) };
}

/** The server's realpath, or that of the deepest parent that has one with the rest appended. */
async function resolve(session: FileSession, path: string): Promise<Resolved> {
  try {
    return { path: await session.realpath(path) };
  } catch (error) {
    if (!isAbsent(error) || path === '/') throw error;
    const parent = await resolve(session, parentOf(path));
    return { path: joinPath(parent.path, nameOf(path)), missing: error };
  }
}

function isAbsent(error: unknown): error is Fault {
  return (
    error instanceof Fault && ['file_not_found', 'permission_denied', 'not_a_directory'].includes(error.code)
  );
}

function shownAt(entry: DirectoryEntry, path: string): DirectoryEntry {
  return { ...entry, path, name: nameOf(path) };
}

/** Directories first, then by name without regard to case. */
function inOrder(entries: readonly DirectoryEntry[]): DirectoryEntry[] {
  const keyed = entries.map((entry) => ({
    entry,
    key: `${entry.is_dir ? 0 : 1}${entry.name.toLowerCase()}`,
  }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return keyed.map(({ entry }) => entry);
}

function toText(bytes: Uint8Array): string {
  if (bytes.subarray(0, BINARY_PROBE_BYTES).includes(0)) throw new Fault('not_text');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Fault('not_text', undefined, { cause });
  }
}
